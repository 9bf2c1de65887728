import { expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startServer } from '../shared/llm/raw-server.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

it('a public file is imported, and its questions are shown', { timeout: 120_000 }, async () => {
  const row = JSON.stringify({ question: 'What is\u001b 3 + 4?', answer: '3 + 4 = 7\n#### 7' });
  const cwd = await folderWith({ 'test.jsonl': `${row}\n{"question": 1}\n` });
  const imported = await startCommand(['dataset', 'import', 'gsm8k', 'test.jsonl', 'own.jsonl'], { cwd })
    .ended;
  expect(imported).toMatchObject({ code: 0, stderr: '' });
  expect(imported.stdout).toMatch(/^wrote own\.jsonl: 1 questions; 1 rows left out \(row 2: /);
  const { stdout } = await startCommand(['dataset', 'show', 'own.jsonl'], { cwd }).ended;
  expect(stdout).toMatch(/^1 questions, 0 duplicates left out, extractor number, sha256 [0-9a-f]{64}\n/);
  expect(stdout).toMatch(/What is\\x1b 3 \+ 4\? -> 7\n$/);
  const unknown = await startCommand(['dataset', 'import', 'gsm9k', 'test.jsonl', 'x.jsonl'], { cwd }).ended;
  expect(unknown.stderr).toMatch(/^haltline: format: got "gsm9k", .*did you mean gsm8k\?.*\n$/);
});

it(
  'a public set is fetched, checked and imported; another file than the one expected is not',
  { timeout: 120_000 },
  async () => {
    let file = `${JSON.stringify({ question: 'What is 3 + 4?', answer: '3 + 4 = 7\n#### 7' })}\n`;
    const sha256 = createHash('sha256').update(file).digest('hex');
    const url = await startServer(({ response }) => void response.end(file));
    const cwd = await folderWith({});
    const fetchSet = (...args: string[]) =>
      startCommand(['dataset', 'fetch', ...args, '--url', url], { cwd }).ended;
    const fetched = await fetchSet('gsm8k', '--sha256', sha256);
    expect(fetched, fetched.stderr).toMatchObject({ code: 0 });
    expect(fetched.stdout).toBe(
      `sha256 ${sha256} (as expected)\nwrote data/gsm8k.jsonl: 1 questions\n` +
        'in a spec: datasets: [{ id: gsm8k, path: "data/gsm8k.jsonl" }]\n',
    );
    expect(await readdir(join(cwd, 'data'))).toEqual(['gsm8k.jsonl']);
    expect(await readFile(join(cwd, 'data/gsm8k.jsonl'), 'utf8')).toContain('"answer":"7"');

    const other = await fetchSet('gsm8k', '--to', 'other.jsonl');
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(
      /^haltline: http.*: the file's SHA-256 is [0-9a-f]{64}, expected 3730d312.*\n$/,
    );
    expect(await readdir(cwd)).toEqual(['data']);

    const unpinned = await fetchSet('math500', '--to', 'math.jsonl');
    expect(unpinned.stdout).toContain(
      `sha256 ${sha256} (not verified: no checksum is known for it; noted in `,
    );
    const again = await fetchSet('math500', '--to', 'math.jsonl');
    expect(again.stdout).toContain(`sha256 ${sha256} (as in math.jsonl.sha256.json, `);
    file = file.replace('7', '8');
    const changed = await fetchSet('math500', '--to', 'math.jsonl');
    expect(changed).toMatchObject({ code: 1, stdout: '' });
    expect(changed.stderr).toContain(`expected ${sha256}; nothing was kept`);
    const unknown = await startCommand(['dataset', 'fetch', 'gsm9k'], { cwd }).ended;
    expect(unknown.stderr).toMatch(/^haltline: set: got "gsm9k", .*did you mean gsm8k.*\n$/);
  },
);
