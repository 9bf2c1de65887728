import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSpec } from '../../../producers/load-spec.ts';
import { prepareSweep } from '../../../scripts/prepare-sweep.ts';
import { folderWith, startCommand } from '../../support/run-command.ts';

const spec = (file: string, more = ''): string => `
name: small
targets: [{ id: a, config: { apiBaseUrl: "http://127.0.0.1:1/v1", model: m } }]
attacks: [{ name: shout, module: ./${file}${more} }]
datasets: [{ id: arithmetic, limit: 2 }]
`;

const body = (text = "'NOW: '"): string => `
  name: 'shout',
  render: (question, parameters, seed) => ({
    asksForSteps: true,
    messages: [{ role: 'user', spans: [
      { text: ${text}, injected: true, part: 'query' },
      { text: question.question, injected: false, part: 'query' },
    ] }],
  }),`;
const plain = (text?: string): string => `export const attack = {${body(text)}};`;

async function load(module: string, more = '') {
  const folder = await folderWith({ 's.yaml': spec('mine.mjs', more), 'mine.mjs': module });
  return prepareSweep(await loadSpec(join(folder, 's.yaml'), {}));
}

describe("an attack of one's own", () => {
  it('is planned like any other', async () => {
    const { plan } = await load(plain());
    const jobs = plan.block(0);
    // clean, attacked, guarded, guarded-clean
    expect(plan.total).toBe(8);
    const texts = jobs.map(({ messages: [message] }) => message?.content.startsWith('NOW: '));
    expect(texts.filter(Boolean)).toHaveLength(2);
  });

  it('puts its hash into the id of the sweep', async () => {
    const [first, same, changed] = await Promise.all([load(plain()), load(plain()), load(plain("'Now: '"))]);
    expect(same.sweep.id).toBe(first.sweep.id);
    expect(changed.sweep.id).not.toBe(first.sweep.id);
    expect(first.sweep.spec.attacks[0]?.moduleSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('counts by the files that it imports too, and by those that these import', async () => {
    const idWith = async (word: string): Promise<string> => {
      const files = {
        's.yaml': spec('mine.mjs'),
        'mine.mjs': `import { word } from './a.mjs';\n${plain('word')}`,
        'a.mjs': "// what was said to come from './nowhere.mjs'\nexport { word } from './b.mjs';",
        'b.mjs': `import './a.mjs';\nexport const word = '${word}';`,
      };
      const folder = await folderWith(files);
      return (await prepareSweep(await loadSpec(join(folder, 's.yaml'), {}))).sweep.id;
    };
    expect(await idWith('one')).toBe(await idWith('one'));
    expect(await idWith('two')).not.toBe(await idWith('one'));
  });

  it('may be made by a function that is given zod, and its parameters are checked', async () => {
    const made = `export const attack = ({ z }) => ({${body()} parametersSchema: z.strictObject({ size: z.int() }) });`;
    await expect(load(made, ', parameters: { size: 2 }')).resolves.toBeDefined();
    await expect(load(made, ', parameters: { sise: 2 }')).rejects.toThrow(
      /attacks\[0\]\.parameters\.sise: unknown key/,
    );
    await expect(load(plain(), ', parameters: { size: 2 }')).rejects.toThrow(/size: unknown key/);
  });

  it.each<[string, string, string, RegExp]>([
    ['exports nothing of the kind', 'export const other = 1;', '', /export "attack": /],
    [
      'has no render',
      "export const attack = { name: 'shout' };",
      '',
      /export "attack": render: expected a function$/,
    ],
    ['is no JavaScript', 'export const = 1', '', /cannot be imported: /],
    ['throws when it is imported', "throw new Error('two\\n lines');", '', /cannot be imported: two lines$/],
    [
      'has another name',
      plain().replace("'shout'", "'whisper'"),
      '',
      /its attack is "whisper", expected "shout"$/,
    ],
    ['renders something else', plain('7'), '', /render: messages\.0\.spans\.0\.text: .*expected string/],
    ['throws when it renders', plain("(() => { throw new Error('oh'); })()"), '', /render: oh$/],
    ['renders differently each time', plain('String(Math.random())'), '', /expected a pure function$/],
    [
      'is not the one that was pinned',
      plain(),
      `, moduleSha256: ${'f'.repeat(64)}`,
      /its SHA-256 is .*, expected f+$/,
    ],
  ])('that %s is refused in one line', async (_, module, more, expected) => {
    const failure = await load(module, more).then(
      () => 'no error',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    expect(failure).toMatch(expected);
    expect(failure).toMatch(/^(?:\S*s\.yaml: )?attack module .*mine\.mjs: [^\n]*$/);
  });

  it('that is not there is named', async () => {
    const folder = await folderWith({ 's.yaml': spec('none.ts') });
    await expect(loadSpec(join(folder, 's.yaml'), {})).rejects.toThrow(
      /^attack module .*none\.ts: no such file$/,
    );
  });

  it('may be TypeScript', { timeout: 60_000 }, async () => {
    const typed = plain().replace('(question,', '(question: { question: string },');
    const cwd = await folderWith({ 's.yaml': spec('mine.ts'), 'mine.ts': typed });
    const { code, stdout, stderr } = await startCommand(['validate', 's.yaml', '--json'], { cwd }).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ attacks: ['shout'], runs: 8 });
  });
});
