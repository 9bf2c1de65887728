import { Queue } from 'bullmq';
import { createRedis, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { type GenerationJob, generationJobSchema, MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import { type LiveSweep, liveSweepSchema } from '../../shared/schemas/live-sweep.ts';
import { sweepSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import { messagesOf } from './interrupt-chains.ts';
import type { Interrupt } from './interrupt-figures.ts';

/** Feeds guarded runs to workers and takes their results, in the place of producer and metrics worker. */
export interface BenchPipeline {
  /** Enqueues guarded runs of these chains. @returns their interrupts in the order of their ends */
  run(block: { first: number; count: number }): Promise<Interrupt[]>;
  close(): Promise<void>;
}

export async function createBenchPipeline(options: {
  redisUrl: string;
  apiBaseUrl: string;
  chains: number;
  prefix: string;
}): Promise<BenchPipeline> {
  const address = redisOptionsFromUrl(options.redisUrl);
  const redis = createRedis(address, 'commands');
  const blocking = createRedis(address, 'blocking');
  const keys = createKeys(options.prefix);
  const [store, sweeps, sweep] = [
    new RunStore(redis, keys),
    new SweepStore(redis, keys),
    buildSweep(options),
  ];
  await sweeps.announce(sweep);
  const queue = new Queue(keys.generationQueue('bench'), { connection: redis, prefix: keys.queuePrefix });
  let from = '0-0';

  const nextPlaces = async (): Promise<number[]> => {
    const reply = await blocking.xread('BLOCK', 0, 'STREAMS', keys.sweep(sweep.id).results, from);
    const entries = reply?.[0]?.[1] ?? [];
    from = entries.at(-1)?.[0] ?? from;
    return entries.map(([, fields]) => Number(fields[fields.indexOf('place') + 1]));
  };
  const takeInterrupt = async (place: number): Promise<Interrupt> => {
    const run = await store.read({ sweep: sweep.id, place });
    await store.delete({ sweep: sweep.id, place });
    const flag = run?.result.flag;
    if (flag?.when !== 'cut')
      throw new Error(
        `chain ${place} ended as ${run?.result.outcome.status ?? 'nothing'}, expected an interrupt`,
      );
    return { ms: flag.detectionMs, tokensAfterFlag: flag.tokensAfterFlag };
  };
  return {
    run: async ({ first, count }) => {
      const jobs = Array.from({ length: count }, (_, index) => buildJob(sweep, first + index));
      const opts = { removeOnComplete: true, attempts: 1_000 };
      await queue.addBulk(jobs.map((data) => ({ name: 'run', data, opts })));
      const interrupts: Interrupt[] = [];
      while (interrupts.length < count)
        for (const place of await nextPlaces()) interrupts.push(await takeInterrupt(place));
      return interrupts;
    },
    close: async () => {
      await queue.close();
      redis.disconnect();
      blocking.disconnect();
    },
  };
}

function buildSweep({ apiBaseUrl, chains }: { apiBaseUrl: string; chains: number }): LiveSweep {
  const spec = sweepSpecSchema.parse({
    name: 'interrupt',
    targets: [{ id: 'bench', concurrency: chains, config: { apiBaseUrl, model: 'sim-reasoner' } }],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    limits: { backlogBytes: 1_000_000_000 },
  });
  const dataset = { id: 'arithmetic', sha256: '', extractor: 'number', rows: 1, duplicates: 0, sample: [] };
  const about = { v: MESSAGE_VERSION, id: 'interrupt-0', haltline: '0.0.0', createdAtMs: 0 };
  return liveSweepSchema.parse({ ...about, spec, datasets: [dataset], total: 1_000_000 });
}

function buildJob(sweep: LiveSweep, place: number): GenerationJob {
  const messages = messagesOf(place);
  return generationJobSchema.parse({
    ...{ v: MESSAGE_VERSION, sweep: sweep.id, place, runId: `chain-${place}`, target: 'bench', messages },
    ...{
      decoding: { maxTokens: 4_000 },
      seed: place,
      repeat: 0,
      questionId: `q${place}`,
      dataset: 'arithmetic',
    },
    ...{ extractor: 'number', gold: '42' },
    cases: [
      { caseId: `c${place}`, attack: 'badchain', dataset: 'arithmetic', arm: 'guarded', cluster: place },
    ],
    guard: {
      monitor: 'rules',
      version: 'bench',
      problem: { query: messages[0]?.content ?? '', asksForSteps: true },
    },
  });
}
