import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createSimulator, type Simulator } from '../../scripts/simulator/create-simulator.ts';
import type { Fault } from '../../scripts/simulator/faults.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { readRunLines } from '../support/processes.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

/** Each a target of one and the same sweep, by what its model does, with what its runs come to. */
const failing = {
  refuses: { model: 'sim-instruct+refuse', code: 'connection_reset' },
  hangs: { model: 'sim-instruct+hang', code: 'idle_timeout' },
  stalls: { model: 'sim-instruct+stall@5', code: 'idle_timeout' },
  cuts: { model: 'sim-instruct+cut-utf8@5', code: 'connection_reset' },
  ends: { model: 'sim-instruct+end@5', code: 'premature_close' },
  breaks: { model: 'sim-instruct+500', code: 'http_error' },
  fails: { model: 'sim-instruct+error-event@5', code: 'provider_error' },
  html: { model: 'case:S25-http200-html', code: 'not_event_stream' },
  json: { model: 'case:S24-http200-json-error', code: 'overloaded' },
  errs: { model: 'case:S11-inband-error-no-done', code: 'provider_error' },
  lacks: { model: 'case:S39-single-newline-cut-tail', code: 'premature_close' },
  resets: { model: 'case:S43-reset-inside-payload', code: 'connection_reset' },
} as const;
const others = {
  well: { model: 'sim-instruct' },
  /** Refuses each question once, and asks for a second. */
  storm: { model: 'sim-storm' },
  /** Refuses every other question, and asks for a day. */
  day: { model: 'sim-day' },
  hostile: { model: 'sim-hostile' },
};
const models = ['sim-instruct', 'sim-storm', 'sim-day', 'sim-hostile'];

const bodySchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ content: z.string() })),
});

const hostileText = [
  'Look \u001b]0;owned\u0007\u001b[2J at {"__proto__": {"polluted": true}}\u202e and \ud800 this.\n\n',
  '<script>alert(1)</script> constructor.prototype ${7*7} {{7*7}}\u0000\n\nThe answer is 1.',
];

/** The faults that depend on the question. */
function chooseFault(): (index: number, body: unknown) => Fault | undefined {
  const seen = new Set<string>();
  return (_index, body) => {
    const { model, messages } = bodySchema.parse(body);
    const question = `${model}/${messages.at(-1)?.content ?? ''}`;
    if (model === 'sim-storm' && !seen.has(question)) {
      seen.add(question);
      return { type: 'status', status: 429, retryAfterSeconds: 1 };
    }
    if (model === 'sim-day' && question.length % 2 === 0)
      return { type: 'status', status: 429, retryAfterSeconds: 86_400 };
    return undefined;
  };
}

async function startSick(): Promise<Simulator> {
  const simulator = await createSimulator({
    casesDir: join(import.meta.dirname, '../cases'),
    models: Object.fromEntries(models.map((name) => [name, { reasoning: 'none' }])),
    fault: chooseFault(),
    script: (body) => (bodySchema.parse(body).model === 'sim-hostile' ? { content: hostileText } : undefined),
  });
  onTestFinished(() => simulator.close());
  return simulator;
}

function spec(apiBaseUrl: string): object {
  const targets = Object.entries({ ...failing, ...others }).map(([id, { model }]) => ({
    id,
    concurrency: 8,
    config: { apiBaseUrl, model },
    decoding: { maxTokens: 400 },
    timeouts: { firstPayloadMs: 2_000, idleMs: 2_000, totalMs: 20_000 },
  }));
  return {
    name: 'faults',
    targets,
    attacks: ['badchain'],
    datasets: [{ id: 'arithmetic', limit: 4 }],
    limits: { attempts: 2, epochs: 2 },
  };
}

test(
  'whatever a target does, each of its runs ends with its reason, and the runs of others are answered',
  { timeout: 240_000 },
  async () => {
    const simulator = await startSick();
    const cwd = await folderWith({ 'spec.json': JSON.stringify(spec(simulator.url)) });
    const end = await startCommand(['run', 'spec.json', '--json'], { cwd }).ended;
    expect(end.code, end.stderr).toBe(0);
    const { counts, complete, sweep } = summarySchema.parse(JSON.parse(end.stdout));
    expect({ complete, deadLetters: counts.deadLetters }).toEqual({ complete: true, deadLetters: 0 });
    expect(await readdir(join(cwd, 'results'))).toEqual([sweep]);
    const lines = await readRunLines(join(cwd, 'results', sweep, 'runs.jsonl'));
    const of = (target: string): RunLine[] => lines.filter((line) => line.target === target);

    const codes = Object.fromEntries(
      Object.keys(failing).map((id) => [
        id,
        [
          ...new Set(
            of(id).map(({ outcome }) => (outcome.status === 'failed' ? outcome.code : outcome.status)),
          ),
        ],
      ]),
    );
    expect(codes).toEqual(Object.fromEntries(Object.entries(failing).map(([id, { code }]) => [id, [code]])));

    const statuses = (runs: readonly RunLine[]): string[] =>
      [...new Set(runs.map(({ outcome }) => outcome.status))].sort();
    const whole = ['answered', 'halted', 'unanswered'];
    expect(whole).toEqual(expect.arrayContaining(statuses(of('well'))));
    expect(whole).toEqual(expect.arrayContaining(statuses(of('storm'))));
    for (const { timing } of of('storm')) {
      if (timing.retries > 0) expect(timing.limitWaitMs).toBeGreaterThanOrEqual(1_000);
    }
    expect(of('storm').some(({ timing }) => timing.retries > 0)).toBe(true);

    // A day is over the cap of a wait: those fail at once, and hold nobody else up.
    const refused = of('day').filter(({ outcome }) => outcome.status === 'failed');
    const codeOf = ({ outcome }: RunLine) => (outcome.status === 'failed' ? outcome.code : undefined);
    expect(new Set(refused.map(codeOf))).toEqual(new Set(['rate_limited']));
    expect(refused.length).toBeLessThan(of('day').length);
    expect(simulator.requests().filter(({ model, fault }) => model === 'sim-day' && fault)).toHaveLength(
      refused.length,
    );

    // Nothing of a hostile reply reaches the terminal as more than text, and the file holds it whole.
    expect(statuses(of('hostile'))).not.toContain('failed');
    const report = await startCommand(['report', join('results', sweep)], { cwd }).ended;
    expect(report.code).toBe(0);
    for (const mark of ['\u0007', '\u202e', '\u001b]']) expect(report.stdout).not.toContain(mark);
  },
);
