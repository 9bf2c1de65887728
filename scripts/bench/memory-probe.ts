import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { RedisClient } from '../../shared/redis/connection.ts';

/** One process's bytes, or Redis's. */
export interface Memory {
  /** Resident as it runs, garbage included. */
  readonly running: number;
  /** Resident half a second after its garbage was collected: what it needs. */
  readonly resident: number;
  /** Objects and buffers that the program holds; of Redis, what it says it uses. */
  readonly held: number;
}

/** By process. */
export type Memories = Readonly<Record<string, Memory>>;

/** Node processes that memory-collect.mjs is loaded into, and Redis. */
export interface Probed {
  readonly pids: Readonly<Record<string, number>>;
  readonly redisPid: number;
  readonly redis: RedisClient;
  /** Where memory-collect.mjs writes. */
  readonly dir: string;
}

const SAMPLES = 7;
const EVERY_MS = 1_000;
/** V8 gives free pages back in a thread of its own, a little after a collection. */
const UNMAP_MS = 500;

const collectedSchema = z.object({ heldBytes: z.number() });

/** Medians of several samples while the processes work on: how much is under way differs from moment to moment. */
export async function sampleMemory(probed: Probed): Promise<Memories> {
  const samples: Record<string, Memory[]> = {};
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    for (const [name, pid] of Object.entries(probed.pids))
      (samples[name] ??= []).push(await sampleNode(pid, probed.dir));
    (samples['redis'] ??= []).push(await sampleRedis(probed));
    await sleep(EVERY_MS);
  }
  return Object.fromEntries(Object.entries(samples).map(([name, of]) => [name, medians(of)]));
}

async function sampleNode(pid: number, dir: string): Promise<Memory> {
  const file = join(dir, `memory-${pid}.json`);
  const running = await residentBytes(pid);
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) {
      const { heldBytes } = collectedSchema.parse(JSON.parse(text));
      await sleep(UNMAP_MS);
      return { running, resident: await residentBytes(pid), held: heldBytes };
    }
    await residentBytes(pid); // Throws when it has ended.
    await sleep(20);
  }
}

async function sampleRedis({ redis, redisPid }: Probed): Promise<Memory> {
  const running = await residentBytes(redisPid);
  // Pages that its allocator has freed and keeps for later are no growth.
  await redis.call('MEMORY', 'PURGE');
  const held = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  return { running, resident: await residentBytes(redisPid), held };
}

/** Linux only: there is no other way without a program beside Node. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
}

function medians(samples: readonly Memory[]): Memory {
  const of = (field: keyof Memory): number => median(samples.map((sample) => sample[field]));
  return { running: of('running'), resident: of('resident'), held: of('held') };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}
