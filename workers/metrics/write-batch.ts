import { z } from 'zod';
import type { Spend } from '../../shared/core/spend.ts';
import type { RunRef, CommittedRun } from '../../shared/redis/run-store.ts';
import type { SettledBatch } from '../../shared/redis/sweep-store.ts';
import type { ChainRecord, ResultEntry, RunLine } from '../../shared/schemas/run-result.ts';
import type { DeadLetter } from '../../shared/redis/dead-letters.ts';
import type { DoneMarks } from './done-marks.ts';
import type { Fold } from './fold.ts';
import type { StreamEntry } from './result-stream.ts';
import type { RunRecord } from './sweep-folder.ts';

/** What a batch touches; each is replaceable, so that a test can stop the process between any two calls. */
export interface BatchPorts {
  readonly sweep: string;
  readonly folder: {
    appendChains(chains: readonly ChainRecord[]): Promise<RunLine['chain']>;
    appendLines(lines: readonly RunLine[]): Promise<void>;
    sync(): Promise<void>;
  };
  readonly runs: {
    read(run: RunRef): Promise<CommittedRun | undefined>;
    delete(run: RunRef): Promise<void>;
  };
  readonly store: {
    settle(sweep: string, leaseToken: string, batch: SettledBatch): Promise<boolean>;
  };
  /** What all lines of the folder came to. */
  readonly spent: () => Spend;
  readonly lease: { readonly token: string; isHeld(): boolean; renew(): Promise<boolean> };
  readonly marks: DoneMarks;
  readonly fold: Fold;
  readonly deadLetter: (letter: DeadLetter) => Promise<void>;
  /** A result was written by a newer version: it stays in the stream for a newer worker. */
  readonly onNewer: (place: number) => void;
}

/** The lease is not (surely) held: nothing may be written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The folder can't be written to, or may differ from what the fold holds: it has to be opened again. */
export class FolderBroken extends Error {
  override readonly name = 'FolderBroken';
}

interface Sorted {
  /** Runs to write, by the entry that told of them. */
  readonly fresh: RunRecord[];
  /** Places whose keys go and whose marks are set: the fresh ones and those on disk already. */
  readonly places: Set<number>;
  /** Keys that go without a mark: what they held could not be used. */
  readonly unusable: Set<number>;
  readonly settled: string[];
}

/**
 * Takes entries of the results stream to disk (PROTOCOL, "Results to disk"), in an order in which each part can be
 * repeated after a crash at any point: chains, lines, fsync, marks, keys, entries.
 *
 * @throws LeaseLost, FolderBroken, and what Redis answers: entries that were not settled come again
 */
export async function writeBatch(ports: BatchPorts, entries: readonly StreamEntry[]): Promise<void> {
  const { sweep, store, runs, lease } = ports;
  const sorted = await sortEntries(ports, entries);
  if (sorted.fresh.length > 0) await writeRuns(ports, sorted.fresh);
  const settle = async (batch: SettledBatch) => {
    if (await store.settle(sweep, lease.token, batch)) return;
    // Free (Redis was emptied) or held by another: renewing finds out, and what was not settled comes again.
    await lease.renew();
    throw new LeaseLost('the lease did not stand');
  };
  await settle({ places: [...sorted.places], entries: [], spent: ports.spent() });
  const gone = [...sorted.places, ...sorted.unusable];
  await Promise.all(gone.map((place) => runs.delete({ sweep, place })));
  await settle({ places: [], entries: sorted.settled });
}

async function writeRuns(ports: BatchPorts, records: readonly RunRecord[]): Promise<void> {
  const { folder, lease, fold, marks } = ports;
  const lines = await onDisk(async () => {
    mustHold(lease);
    const chain = await folder.appendChains(records.map((record) => record.chain));
    mustHold(lease);
    const whole = records.map((record) => ({ ...record.line, chain }));
    await folder.appendLines(whole);
    await folder.sync();
    return whole;
  });
  for (const line of lines) {
    fold.add(line);
    marks.add(line.place);
  }
}

function mustHold(lease: BatchPorts['lease']): void {
  if (!lease.isHeld()) throw new LeaseLost('the lease was not renewed in time');
}

async function onDisk<Value>(write: () => Promise<Value>): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    throw new FolderBroken('the sweep folder could not be written', { cause: error });
  }
}

async function sortEntries(ports: BatchPorts, entries: readonly StreamEntry[]): Promise<Sorted> {
  const sorted: Sorted = { fresh: [], places: new Set(), unusable: new Set(), settled: [] };
  const toRead = new Map<number, StreamEntry & { entry: ResultEntry }>();
  for (const { id, entry, text } of entries) {
    if (entry === undefined || !ports.marks.isPlace(entry.place)) {
      const reason = entry === undefined ? 'entry does not fit its schema' : 'no such place in the plan';
      await ports.deadLetter({ source: 'results', sweep: ports.sweep, reason, payload: text });
      sorted.settled.push(id);
    } else if (ports.marks.has(entry.place)) {
      sorted.places.add(entry.place);
      sorted.settled.push(id);
    } else if (toRead.has(entry.place)) sorted.settled.push(id);
    else toRead.set(entry.place, { id, entry, text });
  }
  const reads = [...toRead.values()].map(async (entry) => ({
    entry,
    read: await readRun(ports, entry.entry),
  }));
  for (const { entry, read } of await Promise.all(reads)) await sortRead(ports, sorted, entry, read);
  return sorted;
}

type Read = { run: CommittedRun } | { unusable: string; removable: boolean } | 'newer';

async function sortRead(
  ports: BatchPorts,
  sorted: Sorted,
  { id, entry, text }: StreamEntry & { entry: ResultEntry },
  read: Read,
): Promise<void> {
  if (read === 'newer') {
    ports.onNewer(entry.place);
    return;
  }
  sorted.settled.push(id);
  if ('unusable' in read) {
    // A worker that was frozen finds runs gone that the next holder of the lease has written.
    if (!(await ports.lease.renew())) throw new LeaseLost('another holds the lease');
    await ports.deadLetter({ source: 'results', sweep: ports.sweep, reason: read.unusable, payload: text });
    if (read.removable) sorted.unusable.add(entry.place);
    return;
  }
  sorted.fresh.push(toRecord(read.run));
  sorted.places.add(entry.place);
}

async function readRun({ runs, sweep }: BatchPorts, { place }: ResultEntry): Promise<Read> {
  try {
    const run = await runs.read({ sweep, place });
    if (run === undefined)
      // Its keys stay: an epoch may be under way, where Redis lost the commit.
      return { unusable: `run ${place} is gone or not committed, and not on disk`, removable: false };
    if (run.result.sweep !== sweep || run.result.place !== place) {
      const named = `run ${run.result.place} of ${run.result.sweep}`;
      return { unusable: `the result of run ${place} names ${named}`, removable: true };
    }
    return { run };
  } catch (error) {
    if (error instanceof z.ZodError && error.issues.some(isVersion)) return 'newer';
    if (error instanceof z.ZodError) {
      return { unusable: `run ${place}: ${z.prettifyError(error)}`, removable: true };
    }
    if (error instanceof SyntaxError) return { unusable: `run ${place}: ${error.message}`, removable: true };
    throw error;
  }
}

function isVersion(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 1 && issue.path[0] === 'v';
}

function toRecord({ result, monitorUse, steps, verdicts }: CommittedRun): RunRecord {
  const { place, runId } = result;
  return {
    line: { ...result, monitorUse },
    chain: { place, runId, steps: [...steps], verdicts: [...verdicts] },
  };
}
