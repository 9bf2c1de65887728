import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadQuestions } from '../../producers/datasets/load-questions.ts';
import { parseSpecText } from '../../producers/parse-spec-text.ts';
import { parseJson } from '../../shared/llm/json-value.ts';
import { createLogger } from '../../shared/observability/logger.ts';
import { runLineSchema } from '../../shared/schemas/run-result.ts';
import { slugSchema } from '../../shared/schemas/sweep-spec.ts';
import { startHaltline, temporaryFolder } from '../support/processes.ts';

/** A title, a cleared screen, a colour in one byte, text turned round, a hidden character. */
const hostile = 'a\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eb\u200b\\x1b \\u001b';
const obeyed = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('an error that quotes a name from outside holds nothing that a terminal obeys', async () => {
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'spec.yaml'), `name: t\n"${hostile.replace(/(?!\u009b)[\p{Cc}\\]/gu, '')}": 1\n`);
  for (const args of [['validate', hostile], ['validate', join(dir, 'spec.yaml')], [hostile]]) {
    const command = startHaltline(args, {});
    expect(await command.ended).toBe(1);
    expect(command.stderr()).toMatch(/^haltline: ./);
    expect(command.stderr()).not.toMatch(obeyed);
  }
});

test('a log for a terminal holds nothing that a terminal obeys, in stacks and nested fields too', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const destination = join(dir, 'log');
  const log = createLogger({ level: 'trace', format: 'pretty', color: false, name: 'test', destination });
  log.trace({ event: 'x', text: hostile, nested: { [hostile]: hostile } }, hostile);
  log.warn({ err: new Error(hostile) }, 'failed');
  const text = await readFile(destination, 'utf8');
  expect(text).not.toMatch(obeyed);
  expect(text).toContain('failed');
  expect(text).not.toContain('{"level"');
});

test.each(['../../etc/passwd', '/etc/passwd', 'chains-000.jsonl.gz/../x', 'chains-000.jsonl.gz\0', 'x'])(
  'a line of results names no chain file elsewhere: %j',
  (file) => {
    const shape = runLineSchema.shape.chain;
    expect(shape.safeParse({ file, offset: 0, length: 0 }).success).toBe(false);
    expect(shape.safeParse({ file: 'chains-000.jsonl.gz', offset: 0, length: 0 }).success).toBe(true);
  },
);

test.each(['..', '../x', '/x', 'a/b', 'a\\b', 'a\0', '.hidden', 'a\n', ''])(
  'no sweep or data set is named %j',
  (name) => {
    expect(slugSchema.safeParse(name).success).toBe(false);
  },
);

test.each(['__proto__', 'constructor', 'prototype'])('a spec has no member %s, at any depth', (name) => {
  expect(() => parseSpecText('s', `{"a": [{"${name}": {"polluted": 1}}]}`, {})).toThrow(
    /may not be named so/,
  );
  expect(() => parseSpecText('s', `a:\n  - ${name}: { polluted: 1 }\n`, {})).toThrow(/may not be named so/);
});

test('rows and replies that reach for prototypes change none', async () => {
  const path = join(await temporaryFolder(), 'q.jsonl');
  const row =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"id":"q","dataset":"d","question":"1+1?","answer":"2"}';
  await writeFile(path, `${row}\n`);
  const loaded = await loadQuestions(path, { seed: '' }).catch((error: unknown) => error);
  expect(loaded).toBeDefined();
  parseJson(row);
  expect(Reflect.has({}, 'polluted')).toBe(false);
});

test('a line of a data set over 1 MiB is refused by its number', async () => {
  const path = join(await temporaryFolder(), 'q.jsonl');
  await writeFile(path, `\n{"id":"${'x'.repeat(1024 * 1024)}"}\n`);
  await expect(loadQuestions(path, { seed: '' })).rejects.toThrow(/line 2: longer than 1 MiB/);
});
