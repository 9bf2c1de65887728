import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { DeadLetters } from '../../../shared/redis/dead-letters.ts';
import { DoneMarks } from '../../../workers/metrics/done-marks.ts';
import { Fold } from '../../../workers/metrics/fold.ts';
import { Lease } from '../../../workers/metrics/lease.ts';
import { type BatchPorts, LeaseLost, writeBatch } from '../../../workers/metrics/write-batch.ts';
import { silentLog } from '../../support/silent-log.ts';
import { type Bench, cleanResults, testBench } from './committed-runs.ts';

const entry = { id: '1-0', entry: { place: 0, epoch: 1, bytes: 1_000 }, text: 'place 0' };

async function portsOf(bench: Bench): Promise<BatchPorts> {
  const { store, runs, redis, keys, sweep } = bench;
  const lease = await Lease.take(store, sweep.id, randomUUID(), silentLog);
  if (!lease) throw new Error('the lease is taken');
  onTestFinished(() => lease.release());
  const unused = (): never => {
    throw new Error('nothing is to be written');
  };
  return {
    ...{ sweep: sweep.id, store, runs, lease, marks: new DoneMarks(1), fold: new Fold() },
    folder: { appendChains: unused, appendLines: unused, sync: unused },
    spent: () => ({ money: 0, tokens: 0, runs: 0 }),
    deadLetter: (letter) => new DeadLetters(redis, keys).add(letter),
    onNewer: unused,
  };
}

test('a run that is gone because the next holder of the lease wrote it is no dead letter of the frozen one', async () => {
  const bench = await testBench(1);
  const ports = await portsOf(bench);
  await bench.commit(cleanResults(1)[0] ?? expect.unreachable());
  await bench.redis.set(bench.keys.sweep(bench.sweep.id).metricsLease, 'the next holder');
  await bench.runs.delete({ sweep: bench.sweep.id, place: 0 });
  await expect(writeBatch(ports, [entry])).rejects.toThrow(LeaseLost);
  expect(await bench.redis.xlen(bench.keys.deadLetters)).toBe(0);
});

test('a run that is gone while the lease is held is a dead letter', async () => {
  const bench = await testBench(1);
  await writeBatch(await portsOf(bench), [entry]);
  expect(await bench.redis.xlen(bench.keys.deadLetters)).toBe(1);
});
