import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HaltlineError } from '../../shared/errors.ts';
import type { RecordedChain } from '../../shared/schemas/job.ts';
import { recordedRunSchema } from '../../shared/schemas/run-outcome.ts';
import { runLineSchema } from '../../shared/schemas/run-result.ts';
import { readRunLines } from './run-lines.ts';
import { type ChainPlace, readBytes, StoredChains, type StoredDrop } from './stored-chains.ts';

/** What makes two runs the same question to the same target. */
export interface AskedRun {
  readonly target: string;
  readonly repeat: number;
  readonly seed: number;
  readonly messagesHash: string;
}

/** The runs without a monitor of one sweep folder. In memory stand their keys and places, no texts. */
export interface StoredRuns {
  /** By number, for `read`; why it cannot be judged again; undefined when there is no such run. */
  find(asked: AskedRun): number | StoredDrop | undefined;
  /** How many there are, usable or not. */
  readonly count: number;
  /** Bytes of a run's chain as JSON. */
  bytesOf(run: number): number;
  /** @throws HaltlineError DATA_INVALID when the folder has changed since it was opened */
  read(run: number): RecordedChain;
  /** Another for another set of usable runs. */
  readonly fingerprint: string;
}

interface StoredRun extends ChainPlace {
  /** Of its line in `runs.jsonl`. */
  readonly from: number;
  readonly to: number;
  bytes: number;
}

/**
 * Goes once through the lines and chains of a sweep folder. The first line of a place counts. Guarded runs are passed
 * over: a chain that may have been halted is no whole one.
 *
 * @param sweep - the sweep's id: lines of another are passed over
 * @throws HaltlineError DATA_MISSING when the folder has no `runs.jsonl`
 */
export async function openStoredRuns(dir: string, sweep: string): Promise<StoredRuns> {
  const found = new Map<string, number | StoredDrop>();
  const runs: StoredRun[] = [];
  for await (const { key, line, from, to } of unguardedLines(dir, sweep)) {
    if (found.has(key)) continue;
    if (line.outcome.status === 'failed') {
      found.set(key, 'failed');
      continue;
    }
    const { place, runId, steps, chain } = line;
    found.set(key, runs.length);
    runs.push({ from, to, place, runId, steps, chain, bytes: 0 });
  }
  const chains = new StoredChains(dir);
  const drops = checkChains(runs, chains);
  for (const [key, run] of found) {
    const drop = typeof run === 'number' ? drops.get(run) : undefined;
    if (drop !== undefined) found.set(key, drop);
  }
  return {
    find: (asked) => found.get(keyOf(asked)),
    count: found.size,
    bytesOf: (run) => runs[run]?.bytes ?? 0,
    read: (run) => readRun(dir, sweep, { stored: runs[run], chains }),
    fingerprint: fingerprintOf(runs, drops),
  };
}

function keyOf({ target, repeat, seed, messagesHash }: AskedRun): string {
  return `${target}/${String(repeat)}/${String(seed)}/${messagesHash}`;
}

async function* unguardedLines(dir: string, sweep: string) {
  const places = new Set<number>();
  let from = 0;
  try {
    for await (const { line, end } of readRunLines(join(dir, 'runs.jsonl'))) {
      const start = from;
      from = end;
      if (line?.sweep !== sweep || line.monitor !== undefined || places.has(line.place)) continue;
      places.add(line.place);
      yield { key: keyOf(line), line, from: start, to: end };
    }
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
    throw new HaltlineError('DATA_MISSING', `no runs.jsonl in ${dir}`, { cause });
  }
}

/** Each member is unpacked once. @returns why runs cannot be used, by their number */
function checkChains(runs: readonly StoredRun[], chains: StoredChains): Map<number, StoredDrop> {
  const drops = new Map<number, StoredDrop>();
  const order = [...runs.entries()].sort(
    ([, a], [, b]) => a.chain.file.localeCompare(b.chain.file) || a.chain.offset - b.chain.offset,
  );
  for (const [number, run] of order) {
    const record = chains.record(run);
    if (typeof record === 'string') drops.set(number, record);
    else run.bytes = record.bytes;
  }
  return drops;
}

function fingerprintOf(runs: readonly StoredRun[], drops: ReadonlyMap<number, StoredDrop>): string {
  const hash = createHash('sha256');
  const usable = runs.filter((_, number) => !drops.has(number)).map(({ runId }) => runId);
  for (const runId of usable.sort()) hash.update(`${runId}\n`);
  return hash.digest('hex');
}

function readRun(
  dir: string,
  sweep: string,
  { stored, chains }: { stored: StoredRun | undefined; chains: StoredChains },
): RecordedChain {
  if (!stored) throw new RangeError('no such run');
  const record = chains.record(stored);
  const changed = (cause?: unknown) =>
    new HaltlineError(
      'DATA_INVALID',
      `run ${String(stored.place)} in ${dir} has changed since it was checked`,
      {
        cause,
      },
    );
  if (typeof record === 'string') throw changed();
  try {
    const bytes = readBytes(join(dir, 'runs.jsonl'), {
      offset: stored.from,
      length: stored.to - stored.from,
    });
    const { replayed, ...line } = runLineSchema.parse(JSON.parse(bytes.toString('utf8').trim()));
    // A chain that has been judged again before keeps the name of the sweep that asked for it.
    const { sweep: asked, epoch } = replayed ?? { sweep, epoch: line.epoch };
    const { simulated, messagesHash, outcome, answer, finishReason, tokens, usage, promptEstimate, timing } =
      line;
    const run = recordedRunSchema.parse({
      ...{ sweep: asked, epoch, simulated, messagesHash, outcome, finishReason, tokens, usage, timing },
      ...(answer !== undefined && { answer }),
      ...(promptEstimate !== undefined && { promptEstimate }),
    });
    return { chain: record.steps, run };
  } catch (cause) {
    throw changed(cause);
  }
}
