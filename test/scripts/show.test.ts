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
});
