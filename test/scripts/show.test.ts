import { describe, expect, it } from 'vitest';
import { folderWith, startCommand } from '../support/run-command.ts';

async function show(args: readonly string[]) {
  return startCommand(['show', 'attack', ...args], { cwd: await folderWith({}) }).ended;
}

describe('haltline show attack', { timeout: 120_000 }, () => {
  it('marks what is injected, in every condition that has it', async () => {
    const { code, stdout } = await show(['badchain', '--question', 'What is 3 + 4?', '--answer', '7']);
    expect(code).toBe(0);
    const [, clean = '', attacked = '', control = ''] = stdout.split('\n== ');
    expect(clean).toMatch(/^clean\n/);
    expect(clean).not.toContain('⟦');
    expect(attacked).toContain('Question: What is 3 + 4?⟦ @_@⟧');
    expect(control).toMatch(/Question: What is 3 \+ 4\?\n-- what a monitor sees/);
    expect(stdout).toContain('aims at: 14.7');
  });

  it('escapes what could move a cursor', async () => {
    const args = [
      'deadlock',
      '--question',
      'a\u001b[2Jb',
      '--param',
      'trigger=zq',
      '--condition',
      'attacked',
    ];
    expect((await show(args)).stdout).toContain('⟦zq⟧a\\x1b[2Jb');
  });

  it('prints JSON, and refuses an unknown parameter in one line', async () => {
    const { stdout } = await show(['paa', '--question', 'Which?', '--choices', 'pear', 'stone', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ attack: 'paa', targetAnswer: 'B' });
    const { code, stderr } = await show(['paa', '--question', 'q', '--param', 'statemnt=x']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^haltline: statemnt: unknown key, .*did you mean statement\?.*\n$/);
  });

  it("draws anew with another seed, and shows an attack of one's own from its module", async () => {
    const planted = async (seed: string): Promise<string> =>
      (await show(['paa', '--question', 'What is 30 + 14?', '--answer', '44', '--seed', seed])).stdout;
    const [first, again] = await Promise.all([planted('1'), planted('1')]);
    const others = await Promise.all(['2', '3', '4'].map(planted));
    expect(again).toBe(first);
    expect(others.some((other) => other !== first)).toBe(true);

    const module = `export const attack = { name: 'mine', render: ({ question }, _, seed) => ({
      asksForSteps: true,
      messages: [{ role: 'user', spans: [
        { text: question, injected: false, part: 'query' },
        { text: ' drawn ' + seed, injected: true, part: 'query' },
      ] }],
    }) };`;
    const cwd = await folderWith({ 'mine.mjs': module });
    const args = ['show', 'attack', 'mine', '--module', 'mine.mjs', '--question', 'q?', '--seed', '9'];
    const { stdout, stderr } = await startCommand(args, { cwd }).ended;
    expect(stdout, stderr).toContain('[user]\nq?⟦ drawn 9/show⟧');
  });
});
