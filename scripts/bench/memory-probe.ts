import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisClient } from '../../shared/redis/connection.ts';

/** Bytes by name: resident memory of each process, and what Redis says it uses. */
export type Memory = Readonly<Record<string, number>>;

const SAMPLES = 21;
const EVERY_MS = 500;

/** Medians over ten seconds: garbage comes and goes. */
export async function sampleMemory(
  pids: Readonly<Record<string, number>>,
  redis: RedisClient,
): Promise<Memory> {
  const samples: Record<string, number[]> = {};
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    // Pages that its allocator has freed and keeps for later are no growth.
    await redis.call('MEMORY', 'PURGE');
    for (const [name, pid] of Object.entries(pids)) (samples[name] ??= []).push(await residentBytes(pid));
    (samples['redis used_memory'] ??= []).push(await usedBytes(redis));
    await sleep(EVERY_MS);
  }
  return Object.fromEntries(Object.entries(samples).map(([name, bytes]) => [name, median(bytes)]));
}

/** Linux only: there is no other way without a program beside Node. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

async function usedBytes(redis: RedisClient): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
