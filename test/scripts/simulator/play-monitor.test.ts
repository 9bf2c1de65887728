import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, buildBody, post } from './ask.ts';
import { startSimulator } from './known-questions.ts';

const input = (steps: readonly string[]) =>
  `Judge the last step.\n${JSON.stringify({ problem: 'p', steps })}`;
const verdictSchema = z.strictObject({
  error_detected: z.boolean(),
  error_type: z.string(),
  confidence: z.number(),
  error_location: z.string(),
  error_explanation: z.string(),
});

test('the monitor model replies with the five fields, the flag first', async () => {
  const { url } = await startSimulator();
  const { content } = await ask(url, 'sim-monitor', input(['2 + 2 = 4', 'So 4 * 3 = 13.']));
  const verdict = verdictSchema.parse(JSON.parse(content));
  expect(Object.keys(verdict)).toEqual([
    'error_detected',
    'error_type',
    'confidence',
    'error_location',
    'error_explanation',
  ]);
  expect(verdict).toMatchObject({ error_detected: true, error_type: '2b', error_location: '4 * 3 = 13' });
});

test('each other monitor model has its habit', async () => {
  const { url } = await startSimulator();
  const reply = async (habit: string) =>
    (await ask(url, `sim-monitor-${habit}`, input(['So 4 * 3 = 12.']))).content;
  const malformed = await reply('malformed');
  expect(() => JSON.parse(malformed) as unknown).toThrow(SyntaxError);
  const truncated = await reply('truncated');
  expect(truncated).toMatch(/^\{"error_detected":false,"error_type"/);
  expect(() => JSON.parse(truncated) as unknown).toThrow(SyntaxError);
  expect(await reply('refusing')).toContain("can't help");
  expect(JSON.parse(await reply('wrong'))).toMatchObject({ error_detected: true, error_type: '2a' });
});

test('a dead monitor never replies', async () => {
  const { url, openRequests } = await startSimulator();
  const controller = new AbortController();
  const hanging = post(url, buildBody('sim-monitor-dead', input(['x'])), { signal: controller.signal });
  await expect.poll(openRequests).toBe(1);
  controller.abort();
  await expect(hanging).rejects.toThrow('aborted');
});
