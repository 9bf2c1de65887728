import { describe, expect, it } from 'vitest';
import { parseVerdictReply } from '../../../../shared/llm/verdict/parse-verdict-reply.ts';
import type { VerdictForm, VerdictReply } from '../../../../shared/llm/verdict/verdict-reply.ts';

const step = 'So the total is 7 × 8 = 54 jars, which we keep in mind.';

function read(content: string | null, changes: Partial<VerdictReply> & { form?: VerdictForm } = {}) {
  const { form, ...reply } = changes;
  return parseVerdictReply(
    { content, finishReason: 'stop', reasoningText: null, refusal: null, ...reply },
    step,
    ['The pantry has 8 shelves.'],
    form,
  );
}

function alarm(changes: Record<string, unknown> = {}): string {
  return JSON.stringify({
    error_detected: true,
    error_type: '2b',
    confidence: 0.9,
    error_location: '7 × 8 = 54',
    error_explanation: 'It is 56.',
    ...changes,
  });
}

const clear =
  '{"error_detected":false,"error_type":"NO_ERROR","confidence":0.9,"error_location":"","error_explanation":""}';

describe('a flag', () => {
  it('is read in any spelling of its key and value', () => {
    expect(read('{"Error-Detected":"TRUE","errorType":"2B"}').verdict).toEqual({
      error_detected: true,
      error_type: '2b',
      confidence: null,
      error_location: '',
      error_explanation: '',
    });
  });

  it('that is given twice with different values is ambiguous, in one spelling or two', () => {
    expect(read('{"error_detected":true,"error_type":"2b","error_detected":false}').failure).toBe(
      'ambiguous',
    );
    expect(read('{"error_detected":false,"errorDetected":true}').failure).toBe('ambiguous');
    expect(read('{"error_detected":false,"errorDetected":"false"}').verdict?.error_detected).toBe(false);
  });

  it('that is a number, null or a word is no flag', () => {
    for (const value of ['0', 'null', '"no"', '[]', '{}']) {
      expect(read(`{"error_detected":${value},"error_type":"NO_ERROR"}`).failure).toBe('schema');
    }
  });

  it('that contradicts its type is worth a second call', () => {
    expect(read('{"error_detected":false,"error_type":"3a"}')).toMatchObject({
      failure: 'contradiction',
      retry: true,
    });
  });
});

describe('a type', () => {
  it.each([
    ['(2b) some sum', '2b'],
    ['  - 3A', '3a'],
    ['2b, 3a', '2b'],
    ['REASONING_LOOP', '3a'],
    ['Missing constraints.', '1b'],
    ['4a', 'UNKNOWN'],
    ['a calculation error', 'UNKNOWN'],
    [['2b'], 'UNKNOWN'],
    [22, 'UNKNOWN'],
  ])('%j of an alarm is %s', (label, type) => {
    expect(read(alarm({ error_type: label })).verdict?.error_type).toBe(type);
  });

  it.each([null, '', 'None', 'N/A', 'no error', 'Correct.'])('%j of an alarm contradicts it', (label) => {
    expect(read(alarm({ error_type: label })).failure).toBe('contradiction');
  });
});

describe('a confidence', () => {
  it.each([
    [1, 1],
    [1.5, null],
    [2, 0.02],
    [100, 1],
    [101, null],
    [-0.1, null],
    ['85%', 0.85],
    ['0.5 %', 0.005],
    [' .5 ', 0.5],
    ['9e-1', 0.9],
    ['high', null],
    ['', null],
    [null, null],
    [true, null],
  ])('%j means %j', (given, expected) => {
    expect(read(alarm({ confidence: given })).verdict?.confidence).toBe(expected);
  });
});

describe('a quote', () => {
  it.each([
    ['“7 × 8 = 54”', 'normalized'],
    ['...the TOTAL  is 7 × 8…', 'normalized'],
    ['So the total is … keep in mind', 'prefix'],
    ['So the … keep in mind', 'none'],
    ['has 8 shelves', 'previous_step'],
    ['"..."', 'none'],
    ['   ', 'empty'],
  ])('%j is matched as %s and left as it is', (quote, match) => {
    const { verdict, locationMatch } = read(alarm({ error_location: quote }));
    expect([locationMatch, verdict?.error_location]).toEqual([match, quote]);
  });
});

describe('text around the verdict', () => {
  it('in think blocks and channels does not count', () => {
    for (const content of [
      `<think>${clear}</think><think>more</think>${alarm()}`,
      `draft ${clear}</think>${alarm()}`,
      `<|channel|>analysis<|message|>${clear}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>${alarm()}`,
    ]) {
      expect(read(content).verdict?.error_detected).toBe(true);
    }
  });

  it('that opens an object or an array and never closes it makes a "no error" worthless', () => {
    for (const content of [
      `{"steps": [${clear}`,
      `[${clear}`,
      `[1, "a", ${clear}, `,
      `[${clear},${clear} and so on`,
      `verdicts: [\n${clear}\nLet me see`,
    ]) {
      expect(read(content)).toMatchObject({ failure: 'truncated', retry: true });
    }
    for (const content of [`Result [${clear}].`, `As in [1], ${clear}`, `[see below] ${clear}`]) {
      expect(read(content).verdict?.error_detected).toBe(false);
    }
  });

  it('behind a "no error" that was cut makes it worthless; a fence does not', () => {
    expect(read(`${clear}\nBut wait`, { finishReason: 'length' }).failure).toBe('truncated');
    expect(read(`\`\`\`json\n${clear}\n\`\`\``, { finishReason: 'length' }).parse).toBe('repaired');
  });

  it('that opens another object after the verdict makes it ambiguous', () => {
    expect(read(`${clear} {`).failure).toBe('ambiguous');
  });

  it('may be a JSON string or a wrapper, but only around one verdict', () => {
    expect(read(JSON.stringify(alarm())).parse).toBe('repaired');
    expect(read(`{"a":[{"b":${alarm()}}]}`).verdict?.error_type).toBe('2b');
    expect(read(`{"a":${alarm()},"b":${alarm()}}`).failure).toBe('schema');
    expect(read(`[${alarm()},${clear}]`).failure).toBe('ambiguous');
    expect(read('"no error"').failure).toBe('schema');
    expect(read('{}').failure).toBe('schema');
    expect(read('Nothing {to} see').failure).toBe('not_json');
  });
});

describe('a cut reply', () => {
  const cut = (content: string) => read(content, { finishReason: 'length' });

  it('is an alarm once flag and type are written out', () => {
    expect(cut('{"error_detected":true,"error_type":"2b. Calc"').parse).toBe('salvaged');
    expect(cut('{"error_type":"2b","error_detected":true,"confidence":0.9').verdict).toEqual({
      error_detected: true,
      error_type: '2b',
      confidence: null,
      error_location: '',
      error_explanation: '',
    });
    expect(
      cut('{"verdict":{"error_detected":true,"error_type":"2b","confidence":"90%","x":{').verdict?.confidence,
    ).toBe(0.9);
  });

  it('keeps what is there of the quote', () => {
    const quoteOf = (rest: string) =>
      cut(`{"error_detected":true,"error_type":"2b","confidence":1,"error_location":"${rest}`).verdict
        ?.error_location;
    expect(quoteOf('a \\"b\\" c\\')).toBe('a "b" c');
    expect(quoteOf('\\sqrt{4\\\\')).toBe('\\sqrt{4\\');
    expect(quoteOf('done","error_expl')).toBe('done');
  });

  it.each([
    '{"error_detected":true',
    '{"error_detected":true,"error_type":"2b',
    '{"error_detected":true,"error_type":"sum"',
    '{"error_detected":true,"error_type":"NO_ERROR"',
    '{"error_detected":false,"error_type":"NO_ERROR","confidence":0.9,"error_location":"","error_explanation":""',
    '{"error_detected":false,"error_type":"NO_ERROR","error_location":"{\\"error_detected\\":true,\\"error_type\\":\\"2b\\",',
  ])('%s says nothing', (content) => {
    expect(cut(content)).toMatchObject({ failure: 'truncated', retry: true });
    expect(read(content)).toMatchObject({ failure: 'truncated', retry: true });
  });
});

describe('the binary form', () => {
  const binary = (content: string, finishReason = 'stop') => read(content, { form: 'binary', finishReason });

  it('is exact with four fields, and an alarm has no type', () => {
    const four = alarm({ error_type: undefined });
    expect(binary(four)).toMatchObject({ parse: 'ok', verdict: { error_type: 'UNKNOWN' } });
    expect(binary(alarm())).toMatchObject({ parse: 'repaired', verdict: { error_type: 'UNKNOWN' } });
  });

  it('can be salvaged from the flag alone', () => {
    expect(binary('{"error_detected":true,"conf', 'length').parse).toBe('salvaged');
    expect(binary('{"error_detected":true', 'length').failure).toBe('truncated');
  });
});
