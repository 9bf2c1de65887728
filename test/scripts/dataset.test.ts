import { expect, it } from 'vitest';
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
