import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSpec } from '../../producers/load-spec.ts';
import { HaltlineError } from '../../shared/errors.ts';

const minimal = `
name: small
targets:
  - id: a
    config: { apiBaseUrl: http://127.0.0.1:1/v1, model: m }
attacks: [badchain]
datasets: [arithmetic]
`;

async function specFile(content: string | Uint8Array, name = 'spec.yaml'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-spec-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function errorOf(
  content: string | Uint8Array,
  environment: Record<string, string> = {},
): Promise<string> {
  const path = await specFile(content);
  try {
    await loadSpec(path, environment);
  } catch (error) {
    if (!(error instanceof HaltlineError)) throw error;
    return `${error.code} ${error.message.replace(path, 'spec.yaml')}`;
  }
  return 'no error';
}

/** The minimal spec with text put in place of other text. */
function changed(from: string, to: string): string {
  if (!minimal.includes(from)) throw new Error(`not in the spec: ${from}`);
  return minimal.replace(from, () => to);
}

describe('a spec', () => {
  it('is read as YAML, with defaults filled in and bare names spelled out', async () => {
    const { spec, attacks } = await loadSpec(await specFile(minimal), {});
    expect(spec.attacks).toEqual([{ id: 'badchain', name: 'badchain', parameters: {} }]);
    expect(spec.arms).toEqual(['clean', 'attacked', 'guarded', 'guarded-clean', 'control']);
    expect(spec.targets[0]?.decoding.maxTokens).toBe(2048);
    expect(attacks[0]?.attack.name).toBe('badchain');
    expect(attacks[0]?.parameters).toMatchObject({ trigger: '@_@' });
  });

  it('is read as JSON by its content, whatever the file is called', async () => {
    const spec = {
      name: 'small',
      targets: [{ id: 'a', config: { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'm' } }],
      attacks: ['badchain'],
      datasets: ['arithmetic'],
    };
    const fromYaml = await loadSpec(await specFile(minimal), {});
    const fromJson = await loadSpec(await specFile(`\uFEFF${JSON.stringify(spec, null, '\t')}`), {});
    expect(fromJson.spec).toEqual(fromYaml.spec);
  });

  it('takes environment values into its strings, and leaves an escaped reference alone', async () => {
    const text = changed('model: m', 'model: "${MODEL}-${SIZE}", revision: "$${MODEL}"');
    const { spec } = await loadSpec(await specFile(text), { MODEL: 'm: {x}', SIZE: '7b' });
    expect(spec.targets[0]?.config).toMatchObject({ model: 'm: {x}-7b', revision: '${MODEL}' });
  });

  it('asks for the API keys that it names', async () => {
    const text = changed('model: m', 'model: m, apiKeyEnv: SOME_KEY');
    expect(await errorOf(text)).toBe(
      'KEY_UNSET spec.yaml: targets[0].config.apiKeyEnv: SOME_KEY is not set: put the API key into this environment variable',
    );
    expect(await errorOf(text, { SOME_KEY: 'k' })).toBe('no error');
  });

  it('keeps the prototype of objects out of reach', async () => {
    const text = changed('model: m', 'model: m, extraBody: {"__proto__": {polluted: true}}');
    expect(await errorOf(text)).toContain(
      'targets[0].config.extraBody.__proto__: a member may not be named so',
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /^\(top level\): got null, expected a mapping$/],
    ['a list', '- a', /^\(top level\): got a list of 1, expected a mapping$/],
    ['broken YAML', 'name: [a', /^line 1, column \d+: /],
    ['broken JSON', '{"name": "a",, }', /^line 1, column \d+: /],
    ['a key given twice', `${minimal}name: again\n`, /^line 8, column 1: Map keys must be unique/],
    ['two documents', `${minimal}---\n${minimal}`, /multiple documents/],
    [
      'an unknown tag',
      changed('name: small', 'name: !!js/function small'),
      /^line 2, column \d+: Unresolved tag/,
    ],
    ['an alias without an anchor', changed('[badchain]', '*nothing'), /nothing/],
    ['bytes that are not text', new Uint8Array([0xff, 0xfe, 0x00]), /^not UTF-8 text/],
    ['a file over 1 MiB', `${minimal}#${'x'.repeat(1024 * 1024)}`, /^larger than 1 MiB/],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]\n`,
      /alias/i,
    ],
    [
      'a variable that is not set',
      changed('model: m', 'model: "${NO_SUCH}"'),
      /^targets\[0\]\.config\.model: got \$\{NO_SUCH\}, expected a variable that is set/,
    ],
    ['a missing name', changed('name: small', ''), /^name: got nothing, expected text$/],
    [
      'a name with a space',
      changed('name: small', 'name: not so small'),
      /^name: got "not so small", expected 1 to 63 of a-z/,
    ],
    [
      'an unknown key',
      `${minimal}sede: 3\n`,
      /^sede: unknown key, expected one of name, .* \(did you mean seed\?\)$/,
    ],
    [
      'an unknown key far down',
      changed('apiBaseUrl: http://127.0.0.1:1/v1', 'apiBaseURL: http://127.0.0.1:1/v1'),
      /^targets\[0\]\.config\.apiBaseURL: unknown key, expected one of apiBaseUrl, .* \(did you mean apiBaseUrl\?\) \(also wrong: targets\[0\]\.config\.apiBaseUrl\)$/,
    ],
    [
      'an unknown key like none',
      `${minimal}zzzzzzzz: 3\n`,
      /^zzzzzzzz: unknown key, expected one of name, [^(]*$/,
    ],
    [
      'an URL of another kind',
      changed('http://127', 'ftp://127'),
      /^targets\[0\]\.config\.apiBaseUrl: got "ftp:\/\/127.*", expected an http:\/\/ or https:\/\/ URL$/,
    ],
    [
      'an address with a password, which is not quoted',
      changed('http://127', 'http://me:sk-1@127'),
      /^targets\[0\]\.config\.apiBaseUrl: got "http:\/\/me:\*\*\*@127.*", expected no user and password in the address/,
    ],
    [
      'a key where its variable belongs',
      changed('model: m', 'model: m, apiKeyEnv: sk-123'),
      /^targets\[0\]\.config\.apiKeyEnv: got "sk-123", expected the name of an environment variable, never a key$/,
    ],
    [
      'an empty model',
      changed('model: m', 'model: ""'),
      /^targets\[0\]\.config\.model: got "", expected at least 1 character$/,
    ],
    [
      'another API',
      changed('model: m', 'model: m, api: chats'),
      /^targets\[0\]\.config\.api: got "chats", expected one of chat, completions, responses \(did you mean chat\?\)$/,
    ],
    [
      'no target',
      changed('targets:', 'targets: []\nx:').replace(/x:[^]*?attacks/, 'attacks'),
      /^targets: got a list of 0, expected at least 1 entry$/,
    ],
    [
      'targets of one id',
      changed('attacks:', '  - id: a\n    config: { apiBaseUrl: http://b/v1, model: m }\nattacks:'),
      /^targets: got "a" twice, expected target ids must differ$/,
    ],
    [
      'an attack given twice',
      changed('[badchain]', '[badchain, badchain]'),
      /^attacks: got "badchain" twice, expected attack ids must differ$/,
    ],
    [
      'an unknown attack',
      changed('[badchain]', '[badchian]'),
      /^attacks\[0\]\.name: got "badchian", expected one of .* \(did you mean badchain\?\)$/,
    ],
    ['an attack that is a number', changed('[badchain]', '[7]'), /^attacks\[0\]: got 7, expected a mapping$/],
    [
      'an unknown parameter',
      changed('[badchain]', '[{name: badchain, parameters: {triger: x}}]'),
      /^attacks\[0\]\.parameters\.triger: unknown key, expected .* \(did you mean trigger\?\)$/,
    ],
    [
      'a parameter out of range',
      changed('[badchain]', '[{name: badchain, parameters: {factor: -1}}]'),
      /^attacks\[0\]\.parameters\.factor: got -1, expected more than 0$/,
    ],
    ['no data set', changed('[arithmetic]', '[]'), /^datasets: got a list of 0, expected at least 1 entry$/],
    [
      'a fraction of questions',
      changed('[arithmetic]', '[{id: arithmetic, limit: 1.5}]'),
      /^datasets\[0\]\.limit: got 1\.5, expected a whole number$/,
    ],
    [
      'an unknown extractor',
      changed('[arithmetic]', '[{id: arithmetic, extractor: numbers}]'),
      /^datasets\[0\]\.extractor: got "numbers", expected one of .*\(did you mean number\?\)$/,
    ],
    [
      'an unknown monitor',
      `${minimal}monitors: [rulez]\n`,
      /^monitors\[0\]\.name: got "rulez", expected .*rules/,
    ],
    [
      'an unknown arm',
      `${minimal}arms: [clean, guraded]\n`,
      /^arms\[1\]: got "guraded", expected one of .* \(did you mean guarded\?\)$/,
    ],
    ['no arm', `${minimal}arms: []\n`, /^arms: got a list of 0, expected at least 1 entry$/],
    ['a repeat in words', `${minimal}repeat: three\n`, /^repeat: got "three", expected a number$/],
    ['too many repeats', `${minimal}repeat: 10001\n`, /^repeat: got 10001, expected at most 10000$/],
    ['a negative seed', `${minimal}seed: -1\n`, /^seed: got -1, expected at least 0$/],
    [
      'a temperature over 2',
      changed('attacks:', '    decoding: {temperature: 2.5}\nattacks:'),
      /^targets\[0\]\.decoding\.temperature: got 2\.5, expected at most 2$/,
    ],
    [
      'too many stop texts',
      changed('attacks:', '    decoding: {stop: [a, b, c, d, e]}\nattacks:'),
      /^targets\[0\]\.decoding\.stop: got a list of 5, expected at most 4 entries$/,
    ],
    [
      'harmony in words',
      changed('attacks:', '    harmony: maybe\nattacks:'),
      /^targets\[0\]\.harmony: got "maybe", expected auto, or true or false$/,
    ],
    [
      'a fail policy of neither kind',
      `${minimal}fail: opne\n`,
      /^fail: got "opne", expected one of open, closed \(did you mean open\?\)$/,
    ],
    ['limits that are a list', `${minimal}limits: [1]\n`, /^limits: got a list of 1, expected a mapping$/],
    [
      'a window of nothing',
      `${minimal}limits: {windowJobs: 0}\n`,
      /^limits\.windowJobs: got 0, expected more than 0$/,
    ],
  ])(
    'with %s is refused in one line that says where, what and what instead',
    async (_, content, expected) => {
      const message = await errorOf(content);
      expect(message).toMatch(/^SPEC_INVALID spec\.yaml: /);
      expect(message).not.toContain('\n');
      expect(message.replace('SPEC_INVALID spec.yaml: ', '')).toMatch(expected);
    },
  );

  it('that is no file, or a folder, is refused', async () => {
    const path = await specFile('');
    await expect(loadSpec(`${path}-missing`, {})).rejects.toThrow(
      `${path}-missing: no such file, expected a sweep spec`,
    );
    await expect(loadSpec(join(path, '..'), {})).rejects.toThrow('is a folder, expected a sweep spec');
  });
});
