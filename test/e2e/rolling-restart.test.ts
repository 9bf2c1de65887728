import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { type Summary, type SummaryRow, summarySchema } from '../../shared/schemas/summary.ts';
import { type HaltlineProcess, readRunLines } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { prepareSweep, type SweepProcesses, type WorkerKind } from '../support/sweep-processes.ts';

const builtIn = fileURLToPath(new URL('../../producers/datasets/built-in/arithmetic.jsonl', import.meta.url));
const plan = {
  name: 'rolling',
  attacks: ['badchain', 'deadlock'],
  datasets: [{ id: 'arithmetic', path: builtIn, limit: 12 }],
  more: { arms: ['clean', 'attacked', 'guarded', 'guarded-clean'] },
};
const fleet = ['generation', 'generation', 'monitor', 'monitor', 'metrics', 'metrics'] as const;

test(
  'all workers restarted one after another in the middle of a sweep: runs and rows are those of a sweep left in peace',
  { timeout: 300_000 },
  async () => {
    const peaceful = await runSweep(0, () => Promise.resolve());
    const restarted = await runSweep(80, async (sweep, producer) => {
      for (const [turn, kind] of fleet.entries()) {
        await answered(sweep, 8 * (turn + 1));
        await replace(sweep, kind);
      }
      expect(producer.child.exitCode, 'the sweep goes on after the last restart').toBeNull();
    });
    expect(restarted.lines.map(lastingOf)).toEqual(peaceful.lines.map(lastingOf));
    expect(restarted.summary.rows.map(lastingRow)).toEqual(peaceful.summary.rows.map(lastingRow));
    expect(restarted.summary.counts.lines).toBe(peaceful.summary.counts.lines);
    expect(restarted.lines.some(({ epoch }) => epoch > 1)).toBe(true);
    // What was handed over did not crash: its latency counts, and what it had received is booked.
    expect(restarted.lines.filter(({ timing }) => timing.crashRestart)).toEqual([]);
    expect(restarted.lines.some(({ epoch, tokens }) => epoch > 1 && tokens.wasted > 0)).toBe(true);
    expect(restarted.lines.filter(({ epoch, tokens }) => epoch === 1 && tokens.wasted > 0)).toEqual([]);
  },
);

async function runSweep(
  tokensPerSecond: number,
  disturb: (sweep: SweepProcesses, producer: HaltlineProcess) => Promise<void>,
): Promise<{ lines: RunLine[]; summary: Summary }> {
  const redis = await ownRedis();
  const sweep = await prepareSweep(redis.url, { tokensPerSecond }, plan);
  for (const kind of fleet) sweep.startWorker(kind);
  const producer = sweep.produce();
  await disturb(sweep, producer);
  expect(await producer.ended, producer.stderr()).toBe(0);
  for (const worker of Object.values(sweep.workers).flat()) worker.kill('SIGKILL');
  const summary = summarySchema.parse(JSON.parse(producer.stdout()));
  const lines = await readRunLines(join(sweep.resultsDir, summary.sweep, 'runs.jsonl'));
  return { lines: lines.sort((a, b) => a.place - b.place), summary };
}

async function answered(sweep: SweepProcesses, count: number): Promise<void> {
  await expect
    .poll(() => sweep.simulator.requests().length, { timeout: 120_000, interval: 20 })
    .toBeGreaterThanOrEqual(count);
}

/** The oldest of its kind goes, and a new one comes, as a rolling update does it. */
async function replace(sweep: SweepProcesses, kind: WorkerKind): Promise<void> {
  const worker = sweep.workers[kind].shift();
  worker?.kill('SIGTERM');
  expect(await worker?.ended, worker?.stderr()).toBe(0);
  sweep.startWorker(kind);
}

/** What a run came to, without times; of a halted one, what had arrived beyond the flagged step is a matter of time. */
function lastingOf({ place, runId, outcome, answer, finishReason, flag, tokens }: RunLine): object {
  const { reasoning, answer: answerTokens, content } = tokens;
  return flag === undefined
    ? { place, runId, outcome, answer, finishReason, tokens: [reasoning, answerTokens, content] }
    : { place, runId, outcome, flag: [flag.stepIndex, flag.errorType, flag.rule, flag.tokensAtFlag] };
}

/**
 * The figures of a row that no time is in: whether a halted run was cut or had ended (at the token limit, perhaps)
 * before its verdict came is a matter of time.
 */
function lastingRow(row: SummaryRow): object {
  const { target, attack, dataset, arm, monitor, n, outcomes, dropped, asrWrong, asrTarget, asrStep } = row;
  const { unanswered, flagged, falseFlags, cleanErrorShare, tafAtFlag } = row;
  const key = { target, attack, dataset, arm, monitor };
  const shares = {
    asrWrong,
    asrTarget,
    asrStep,
    unanswered,
    flagged,
    falseFlags,
    cleanErrorShare,
    tafAtFlag,
  };
  const interrupted = row.interrupted?.value;
  const unmonitored = monitor === undefined && { taf: row.taf, hitLimit: row.hitLimit };
  return { ...key, ...shares, n, outcomes, dropped, interrupted, ...unmonitored };
}
