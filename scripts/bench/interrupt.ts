/**
 * How fast an unsafe step closes the socket: `npm run bench -- interrupt [--chains N] [--blocks N] [--interrupts N]`.
 * 100 chains at once, 50 tokens/s each; target, generation worker, monitor worker (`rules`) and Redis are processes of
 * their own. Beside each block stands one of the floor: the same streams over the same HTTP client, one PUBLISH out and
 * one push back. Goal: p50 at most 2 times, p99 at most 2.5 times the floor.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { startRestartableRedis } from '../restartable-redis.ts';
import { startHaltline } from '../start-haltline.ts';
import { blockFigures, type BlockFigures, compareBlocks, type Interrupt } from './interrupt-figures.ts';
import { createBenchPipeline } from './interrupt-pipeline.ts';

const interruptsSchema = z.array(z.object({ ms: z.number(), tokensAfterFlag: z.number() }));
const count = z.coerce.number().int().positive();
const PREFIX = 'bench';

const { values } = parseArgs({
  options: {
    chains: { type: 'string', default: '100' },
    blocks: { type: 'string', default: '5' },
    interrupts: { type: 'string', default: '250' },
  },
});
const [chains, blocks, wanted] = [values.chains, values.blocks, values.interrupts].map((text) =>
  count.parse(text),
);
await main({ chains: chains ?? 100, blocks: blocks ?? 5, wanted: wanted ?? 250 });

async function main(options: { chains: number; blocks: number; wanted: number }): Promise<void> {
  const { chains, blocks, wanted } = options;
  const redis = await startRestartableRedis();
  const stop: (() => unknown)[] = [];
  process.on('exit', () => stop.forEach((end) => end()));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
  const start = async (file: string, args: readonly string[]): Promise<[ChildProcess, unknown]> => {
    const child = fork(join(import.meta.dirname, file), args);
    stop.push(() => child.kill('SIGKILL'));
    return [child, await nextMessage(child)];
  };
  const [, url] = await start('interrupt-simulator.ts', []);
  const apiBaseUrl = z.string().parse(url);
  await start('interrupt-floor.ts', ['answer', redis.url]);
  const [floor] = await start('interrupt-floor.ts', ['generate', redis.url, apiBaseUrl]);
  const env = { REDIS_URL: redis.url, HALTLINE_PREFIX: PREFIX, HALTLINE_LOG_LEVEL: 'warn' };
  for (const kind of ['generation', 'monitor']) {
    const worker = startHaltline(['worker', kind], env);
    stop.push(() => worker.kill('SIGKILL'));
  }
  const pipeline = await createBenchPipeline({ redisUrl: redis.url, apiBaseUrl, chains, prefix: PREFIX });

  // As many more as run at once: the interrupts that count are those while all lanes are full.
  let first = 0;
  const runOurs = async (size: number): Promise<BlockFigures> =>
    blockFigures((await pipeline.run({ first, count: size + chains })).slice(0, size));
  const runFloor = async (size: number): Promise<BlockFigures> => {
    floor.send({ first, count: size + chains, atOnce: chains });
    const interrupts: Interrupt[] = interruptsSchema.parse(await nextMessage(floor));
    return blockFigures(interrupts.slice(0, size));
  };
  print(`${chains} chains at 50 tokens/s, ${blocks} interleaved blocks of ${wanted} interrupts; ms`);
  await runOurs(chains);
  first += 2 * chains;
  await runFloor(chains);
  const pairs: { ours: BlockFigures; floor: BlockFigures }[] = [];
  for (let block = 0; block < blocks; block += 1) {
    first += wanted + chains;
    // Which goes first changes, so that neither has the better half of a drifting machine.
    const floorFirst = block % 2 === 1 ? await runFloor(wanted) : undefined;
    const ours = await runOurs(wanted);
    const pair = { ours, floor: floorFirst ?? (await runFloor(wanted)) };
    pairs.push(pair);
    print(`block ${block + 1}: ours ${times(pair.ours)}, floor ${times(pair.floor)}`);
  }
  report(pairs);
  await pipeline.close();
  stop.forEach((end) => end());
  await redis.remove();
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const messages: unknown[] = await once(child, 'message');
  return messages[0];
}

function report(pairs: readonly { ours: BlockFigures; floor: BlockFigures }[]): void {
  const { ours, floor, p50Ratio, p99Ratio, p50Range, p99Range } = compareBlocks(pairs);
  const range = ([low, high]: readonly [number, number]): string => `${low.toFixed(2)} to ${high.toFixed(2)}`;
  print(`medians of the blocks, p50 / p99: ours ${times(ours)}, floor ${times(floor)}`);
  print(`p50 ${p50Ratio.toFixed(2)} times the floor (goal <= 2; single pairs ${range(p50Range)})`);
  print(`p99 ${p99Ratio.toFixed(2)} times the floor (goal <= 2.5; single pairs ${range(p99Range)})`);
  print(`tokens received after the flag, p50 / p99: ours ${tokens(ours)}, floor ${tokens(floor)}`);
}

function times({ p50, p99 }: BlockFigures): string {
  return `${p50.toFixed(2)} / ${p99.toFixed(1)}`;
}

function tokens({ tokensP50, tokensP99 }: BlockFigures): string {
  return `${tokensP50.toFixed(0)} / ${tokensP99.toFixed(0)}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
