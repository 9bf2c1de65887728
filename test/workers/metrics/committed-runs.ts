import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import type { RedisClient } from '../../../shared/redis/connection.ts';
import { createKeys, type Keys } from '../../../shared/redis/keys.ts';
import { RunStore } from '../../../shared/redis/run-store.ts';
import { SweepStore } from '../../../shared/redis/sweep-store.ts';
import type { LiveSweep } from '../../../shared/schemas/live-sweep.ts';
import {
  type ChainRecord,
  chainRecordSchema,
  type RunLine,
  runLineSchema,
  type RunResult,
} from '../../../shared/schemas/run-result.ts';
import { testRedis } from '../../support/redis.ts';
import { liveSweep, runResult } from './run-lines.ts';

export interface Bench {
  readonly url: string;
  readonly prefix: string;
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly store: SweepStore;
  readonly runs: RunStore;
  readonly sweep: LiveSweep;
  readonly resultsDir: string;
  /** Does what a generation worker does at the end of a run: commits it and sends its entry. */
  commit(result: RunResult): Promise<void>;
}

/** A sweep of its own in the shared Redis, with an empty results folder; gone after the test. */
export async function testBench(
  total: number,
  server: { url: string; redis: RedisClient; prefix?: string } = testRedis(),
): Promise<Bench> {
  const { url, redis, prefix = `test-${randomUUID()}` } = server;
  const keys = createKeys(prefix);
  const resultsDir = await mkdtemp(join(tmpdir(), 'haltline-test-results-'));
  onTestFinished(() => rm(resultsDir, { recursive: true, force: true }));
  const sweep = liveSweep({ total, id: `tiny-${randomUUID()}` });
  const store = new SweepStore(redis, keys);
  const runs = new RunStore(redis, keys);
  const commit = async (result: RunResult) => {
    const { place } = result;
    const run = { sweep: sweep.id, place };
    const token = randomUUID();
    const started = await runs.start(run, { token, generator: 'generator-1' });
    if (!('epoch' in started)) throw new Error(`run ${place} is committed already`);
    const epoch = { ...run, epoch: started.epoch, token };
    const text = `step of run ${place}`;
    await runs.publish(epoch, [{ index: 0, channel: 'content', text, tokens: 5, endedAtMs: 1 }]);
    await runs.end(epoch, 1);
    const whole = { ...result, sweep: sweep.id, epoch: started.epoch };
    await runs.commit(epoch, { mode: 'unguarded', flagged: undefined, result: whole });
    await store.send(sweep.id, { place, epoch: started.epoch, bytes: 1_000 });
  };
  return { url, prefix, redis, keys, store, runs, sweep, resultsDir, commit };
}

/** Results of an unremarkable clean arm, one a place. */
export function cleanResults(places: number): RunResult[] {
  return Array.from({ length: places }, (_, place) => runResult({ place, cluster: place }));
}

/** Waits for a state, asking every few milliseconds; the test's own time limit ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}

export async function readLines(dir: string): Promise<RunLine[]> {
  const text = await readFile(join(dir, 'runs.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => runLineSchema.parse(JSON.parse(line)));
}

export async function readChain(dir: string, line: RunLine): Promise<ChainRecord | undefined> {
  const { file, offset, length } = line.chain;
  const bytes = await readFile(join(dir, file));
  const text = gunzipSync(bytes.subarray(offset, offset + length)).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((record) => chainRecordSchema.parse(JSON.parse(record)))
    .find((record) => record.place === line.place);
}
