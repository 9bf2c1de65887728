import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { inspectLive, judgeLive } from '../../scripts/doctor/inspect-redis.ts';
import { specLines } from '../../scripts/doctor/judge-endpoint.ts';
import { type EndpointFacts, probeEndpoint } from '../../scripts/doctor/probe-endpoint.ts';
import { readTraits } from '../../scripts/doctor/reply-traits.ts';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { targetSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import { chatEvent, startServer } from '../shared/llm/raw-server.ts';
import { createPipeline } from '../support/pipeline.ts';
import { closedPort } from '../../scripts/loopback-ports.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const targetAt = (apiBaseUrl: string, model: string) =>
  targetSpecSchema.parse({ id: 'target', config: { apiBaseUrl, model } });

async function probe(apiBaseUrl: string, model = 'm'): Promise<EndpointFacts> {
  const facts = await probeEndpoint(targetAt(apiBaseUrl, model), undefined);
  if ('problem' in facts) throw new Error(facts.problem);
  return facts;
}

async function simulate() {
  const simulator = await createSimulator();
  onTestFinished(() => simulator.close());
  return simulator;
}

describe('an endpoint', () => {
  test.each([
    ['sim-reasoner', { type: 'field', fields: ['reasoning_content'] }, 'visible'],
    ['sim-reasoner-vllm', { type: 'field', fields: ['reasoning'] }, 'visible'],
    ['sim-reasoner-tags', { type: 'tags', tag: '<think>', isOpenedByPrompt: false }, 'visible'],
    ['sim-instruct', { type: 'none' }, 'none'],
  ])('shows where it reasons: %s', async (model, reasoning, setting) => {
    const { url, openRequests } = await simulate();
    const facts = await probe(url, model);
    expect(facts).toMatchObject({
      ...{ reasoning, isSimulated: true, usageInStream: true, finishReason: 'stop', sawDone: true },
      ...{ jsonSchema: 'ignored', survivesClose: true },
    });
    expect(facts.firstTokenMs).toBeGreaterThan(0);
    expect(specLines(targetAt(url, model), facts)).toContain(`reasoning: ${setting}`);
    expect(openRequests()).toBe(0);
  });

  test('that knows one format is told from one that follows none', async () => {
    const bodySchema = z.object({ response_format: z.object({ type: z.string() }).optional() });
    const url = await startServer(({ body, response }) => {
      const format = bodySchema.parse(JSON.parse(body)).response_format?.type;
      if (format === 'json_schema') {
        response.writeHead(400, { 'content-type': 'application/json' }).end('{}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(chatEvent({ content: format === undefined ? 'Yes.' : '{"is_prime":true}' }, 'stop'));
    });
    const facts = await probe(url);
    expect(facts).toMatchObject({
      ...{ jsonSchema: 'refused', jsonObject: 'enforced', usageInStream: false, sawDone: false },
      ...{ isSimulated: false, reasoning: { type: 'none' } },
    });
    expect(specLines(targetAt(url, 'm'), facts)).toContain('structured: json_object');
  });

  test('whose template opens the block is set to that', async () => {
    const url = await startServer(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`${chatEvent({ content: '17 * 23 is 391.</think>391' }, 'stop')}data: [DONE]\n\n`);
    });
    const facts = await probe(url);
    expect(facts.reasoning).toEqual({ type: 'tags', tag: '</think>', isOpenedByPrompt: true });
    expect(specLines(targetAt(url, 'm'), facts)).toContain('think: implicit_open');
  });

  test('that does not know the model is a problem, with a hint', async () => {
    const { url } = await simulate();
    const facts = await probeEndpoint(targetAt(url, 'nobody'), undefined);
    expect(facts).toEqual({ problem: expect.stringMatching(/\(404\); is the model known there/) as string });
  });
});

test('traits of what is no event stream are none', () => {
  expect(readTraits('<html>data: {"choices":[]}</html>')).toEqual({
    ...{ reasoningFields: [], openingTag: undefined, closingTag: undefined, sawDone: false },
  });
  expect(readTraits('data: {not json}\n\ndata: [DONE]\n\n').sawDone).toBe(true);
});

test('queues without workers are warned of, and those with workers are counted', async () => {
  const pipeline = await createPipeline();
  const { redis, keys } = pipeline;
  const before = judgeLive(await inspectLive(redis, keys));
  expect(before.map(({ level, subject }) => `${level} ${subject}`)).toEqual([
    ...['warn sweeps', 'warn monitors', 'warn target sim'],
  ]);
  expect(before[0]?.text).toContain('no metrics worker holds it');
  expect(before[1]?.text).toContain('no worker: guarded runs will wait');
  await Promise.all([pipeline.startGeneration(), pipeline.startGeneration(), pipeline.startMonitor()]);
  const workersOf = async () =>
    (await inspectLive(redis, keys)).queues.map(({ queue, workers }) => [queue, workers]);
  await expect.poll(workersOf, { timeout: 10_000 }).toEqual([
    ['monitor', 1],
    ['sim', 2],
  ]);
});

describe('haltline doctor', { timeout: 120_000 }, () => {
  test('tells of Redis and an endpoint, for a person and as JSON', async () => {
    const { url } = await simulate();
    const cwd = await folderWith({});
    const args = ['doctor', '--url', url, '--model', 'sim-reasoner'];
    const told = await startCommand(args, { cwd }).ended;
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(/^ok {4}redis .*noeviction, ping p50 [\d.]+ ms/);
    expect(told.stdout).toContain('reasoning is visible in reasoning_content');
    expect(told.stdout).toContain('For a spec:');
    const json = await startCommand([...args, '--json'], { cwd }).ended;
    const report = z
      .object({
        ok: z.boolean(),
        redis: z.object({ pingMs: z.object({ n: z.number() }) }),
        specLines: z.string(),
      })
      .parse(JSON.parse(json.stdout));
    expect(report).toMatchObject({ ok: true, redis: { pingMs: { n: 200 } } });
  });

  test('exits with 1 when the target of a spec cannot be reached', async () => {
    const port = await closedPort();
    const cwd = await folderWith({
      's.yaml': `
name: small
targets: [{ id: a, config: { apiBaseUrl: "http://127.0.0.1:${String(port)}/v1", model: m } }]
attacks: [badchain]
datasets: [arithmetic]
`,
    });
    const { code, stdout } = await startCommand(['doctor', '--spec', 's.yaml', '--target', 'a'], { cwd })
      .ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}endpoint .*no connection could be made/);
    const other = await startCommand(['doctor', '--spec', 's.yaml', '--target', 'b'], { cwd }).ended;
    expect(other).toMatchObject({ code: 1, stderr: 'haltline: --target b: expected one of a\n' });
  });
});
