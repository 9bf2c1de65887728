import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSpec } from '../../../../producers/load-spec.ts';
import { sweepIdOf } from '../../../../producers/sweep-id.ts';
import { monitorSpecSchema, sweepSpecSchema } from '../../../../shared/schemas/sweep-spec.ts';
import { capacityFor } from '../../../../workers/monitor/capacity.ts';
import { createBuiltInMonitor, monitorVersionOf } from '../../../../workers/monitor/create-monitor.ts';
import { specAt, toolsWith } from './judging.ts';

const url = 'http://127.0.0.1:1/v1';

function specText(monitor: object, more: object = {}): string {
  const target = { id: 'a', config: { apiBaseUrl: url, model: 'm' } };
  return JSON.stringify({
    ...{ name: 'small', targets: [target], attacks: ['badchain'], datasets: ['arithmetic'] },
    monitors: [{ name: 'llm', config: { apiBaseUrl: url, model: 'j' }, ...monitor }],
    ...more,
  });
}

async function load(text: string, files: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'haltline-monitor-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries({ ...files, 'spec.json': text })) {
    await writeFile(join(folder, name), content);
  }
  return loadSpec(join(folder, 'spec.json'), {});
}

describe('the spec of a monitor that asks a model', () => {
  it('has defaults for everything but the model and its address', async () => {
    const { spec } = await load(specText({}));
    expect(spec.monitors[0]).toMatchObject({
      ...{ id: 'llm', sees: 'user', structured: 'auto' },
      config: { maxTokens: 1024, temperature: 0, api: 'chat' },
      timeouts: { firstPayloadMs: 60_000, totalMs: 30_000 },
    });
    expect(spec.monitor.inFlight).toBe(32);
  });

  it.each([
    ['without a model', { config: undefined }, /monitors\[0\]\.config: got nothing, expected a mapping/],
    [
      'with a rule policy',
      { policy: 'precise' },
      /monitors\[0\]\.policy: unknown key, expected one of .*window/,
    ],
    [
      'of an unknown name',
      { name: 'lllm' },
      /monitors\[0\]\.name: got "lllm", expected one of .*cascade.*did you mean llm\?/,
    ],
    ['with a window of one step', { window: 1 }, /monitors\[0\]\.window: got 1, expected at least 2/],
    [
      'with a prompt that has no place for the chain',
      { prompt: 'Judge.' },
      /monitors\[0\]\.prompt: .*\{\{input\}\} in it, once/,
    ],
    ['with a prompt file that is not there', { promptFile: 'p.txt' }, /p\.txt: no such file/],
    [
      'with a key that is not set',
      { config: { apiBaseUrl: url, model: 'j', apiKeyEnv: 'NO_KEY' } },
      /monitors\[0\]\.config\.apiKeyEnv: NO_KEY is not set/,
    ],
    [
      'that may judge longer than half of what a step waits',
      { timeouts: { totalMs: 30_001 } },
      /monitors\[0\]\.timeouts\.totalMs: got 30001, expected at most half of monitor\.stepTimeoutMs, which is 60000/,
    ],
  ])('%s is refused in one line', async (_, monitor, message) => {
    await expect(load(specText(monitor))).rejects.toThrow(message);
  });

  it('may judge longer where steps wait longer', async () => {
    const text = specText({ timeouts: { totalMs: 60_000 } }, { monitor: { stepTimeoutMs: 120_000 } });
    expect((await load(text)).spec.monitor.stepTimeoutMs).toBe(120_000);
  });

  it('carries the text of its prompt file, which is held to have a place for the chain', async () => {
    const text = specText({ promptFile: 'p.txt' });
    const { spec } = await load(text, { 'p.txt': 'Look:\n{{input}}' });
    expect(spec.monitors[0]).toMatchObject({ prompt: 'Look:\n{{input}}' });
    await expect(load(text, { 'p.txt': 'Look: {{input}} {{input}}' })).rejects.toThrow(
      /monitors\[0\]\.promptFile: p\.txt: expected a text with \{\{input\}\} in it, once/,
    );
  });

  it('makes another sweep with another prompt, and the same one at another address', async () => {
    const idOf = async (monitor: object): Promise<string> => {
      const { spec } = await load(specText(monitor));
      const monitorVersions = Object.fromEntries(
        spec.monitors.map((entry) => [entry.id, monitorVersionOf(entry)]),
      );
      return sweepIdOf({ spec, datasets: [], monitorVersions });
    };
    const id = await idOf({});
    expect(await idOf({ config: { apiBaseUrl: 'http://127.0.0.1:2/v1', model: 'j' } })).toBe(id);
    expect(await idOf({ config: { apiBaseUrl: url, model: 'k' } })).not.toBe(id);
    expect(await idOf({ prompt: '{{input}}' })).not.toBe(id);
  });
});

describe('the version of a monitor', () => {
  it('is known without connecting to anything, and is that of the monitor', async () => {
    for (const name of ['llm', 'vanilla', 'cascade']) {
      const spec = specAt(url, { name });
      expect((await createBuiltInMonitor(spec, toolsWith())).version).toBe(monitorVersionOf(spec));
    }
    const rules = monitorSpecSchema.parse({ id: 'r', name: 'rules' });
    expect((await createBuiltInMonitor(rules, toolsWith())).version).toBe(monitorVersionOf(rules));
  });

  it('changes with its prompt', () => {
    const versions = [{}, { prompt: 'a {{input}}' }, { name: 'vanilla' }, { name: 'cascade' }];
    expect(new Set(versions.map((changes) => monitorVersionOf(specAt(url, changes)))).size).toBe(4);
  });
});

describe('how much a worker takes on', () => {
  const specWith = (monitors: unknown[], monitor: object = {}) =>
    sweepSpecSchema.parse({
      ...{ name: 's', targets: [{ id: 'a', config: { apiBaseUrl: url, model: 'm' } }] },
      ...{ attacks: ['badchain'], datasets: ['arithmetic'], monitors, monitor },
    });
  const rules = { id: 'r', name: 'rules' };
  const llm = { id: 'l', name: 'llm', config: { apiBaseUrl: url, model: 'j' } };

  it('is little as long as a model may be asked, and much where only rules judge', () => {
    expect(capacityFor([])).toEqual({ chains: 32, inFlight: 32 });
    expect(capacityFor([specWith([rules])])).toEqual({ chains: 500, inFlight: 32 });
    expect(capacityFor([specWith([rules]), specWith([rules, llm])])).toEqual({ chains: 32, inFlight: 32 });
  });

  it('is what the specs say, the least of them', () => {
    const [some, few] = [
      specWith([llm], { chains: 64, inFlight: 16 }),
      specWith([rules], { chains: 100, inFlight: 8 }),
    ];
    expect(capacityFor([some, few])).toEqual({ chains: 64, inFlight: 8 });
  });
});
