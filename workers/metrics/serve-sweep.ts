import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { HaltlineError } from '../../shared/errors.ts';
import type { RunStore } from '../../shared/redis/run-store.ts';
import type { SweepStore } from '../../shared/redis/sweep-store.ts';
import type { LiveSweep, SweepStatus } from '../../shared/schemas/live-sweep.ts';
import type { SweepFile } from '../../shared/schemas/sweep-file.ts';
import type { Summary } from '../../shared/schemas/summary.ts';
import type { DeadLetter, DeadLetters } from '../../shared/redis/dead-letters.ts';
import type { Spend } from '../../shared/core/spend.ts';
import { spentOf } from './cost.ts';
import { DoneMarks } from './done-marks.ts';
import { Fold } from './fold.ts';
import { Lease } from './lease.ts';
import { isStreamGone, type ResultStream, type StreamEntry } from './result-stream.ts';
import { SummaryKeeper } from './summary-keeper.ts';
import { SweepFolder } from './sweep-folder.ts';
import { FolderBroken, LeaseLost, writeBatch, type BatchPorts } from './write-batch.ts';

const batchEntries = 256;
/** Committed bytes that one batch holds in memory, at most (but for a single larger run). */
const batchBytes = 8_000_000;
const blockMs = 1_000;
/** A batch costs its fsyncs and a gzip member, however small it is: after one that was not full, others gather so long. */
const gatherMs = 200;
const healEveryMs = 2_000;
const reclaimEveryMs = 5_000;
const retryMs = 500;
const warnNewerEveryMs = 60_000;

export interface ServeSweepDependencies {
  readonly resultsDir: string;
  /** Of this holder alone. */
  readonly token: string;
  readonly store: SweepStore;
  readonly runs: Pick<RunStore, 'read' | 'delete'>;
  readonly stream: ResultStream;
  readonly deadLetters: DeadLetters;
  readonly log: Logger;
  /** Replaceable, so that a test can stop the process between any two writes. */
  readonly openFolder?: typeof SweepFolder.open;
}

/**
 * One sweep in the hands of its metrics worker. States: taking (lease, folder, marks, ready), serving (results go to
 * disk), ended (stopped, lease lost, or folder broken; figures stay readable).
 */
export class ServedSweep {
  #sweep: LiveSweep;
  readonly fold: Fold;
  readonly #summaries: SummaryKeeper;
  readonly #folder: SweepFolder;
  readonly #lease: Lease;
  readonly #marks: DoneMarks;
  readonly #dependencies: ServeSweepDependencies;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  #deadLetterCount: number;
  #status: SweepStatus = 'running';
  #healedAtMs = -Infinity;
  #claimedAtMs = -Infinity;
  #gatherUntilMs = -Infinity;
  #claimFrom: string | undefined = '0-0';
  #warnedNewerAtMs = -Infinity;

  private constructor(
    sweep: LiveSweep,
    parts: { fold: Fold; folder: SweepFolder; lease: Lease; marks: DoneMarks; deadLetterCount: number },
    dependencies: ServeSweepDependencies,
  ) {
    this.#sweep = sweep;
    this.fold = parts.fold;
    this.#folder = parts.folder;
    this.#lease = parts.lease;
    this.#marks = parts.marks;
    this.#deadLetterCount = parts.deadLetterCount;
    this.#dependencies = dependencies;
    this.#log = dependencies.log;
    this.#summaries = new SummaryKeeper({
      fold: parts.fold,
      sweep: () => parts.folder.sweep,
      redisCounts: async () => ({
        deadLetters: this.#deadLetterCount,
        lateUse: await dependencies.store.lateUse(sweep.id),
      }),
      write: async (summary) => {
        if (!parts.lease.isHeld()) return;
        await parts.folder.setSimulated(summary.simulated);
        await parts.folder.writeSummary(summary);
      },
    });
  }

  /**
   * Takes the sweep: lease, folder, marks, ready.
   *
   * @returns undefined when another metrics worker holds it
   * @throws HaltlineError `FOLDER_BEHIND` when Redis has more runs marked than the folder holds: the sweep is left
   *   alone, and says why; `FOLDER_UNSAFE` likewise, for a link in the folder; LeaseLost when reading the folder took longer than the lease
   */
  static async take(
    sweep: LiveSweep,
    dependencies: ServeSweepDependencies,
  ): Promise<ServedSweep | undefined> {
    const { store, token, log, resultsDir } = dependencies;
    const lease = await Lease.take(store, sweep.id, token, log);
    if (lease === undefined) return undefined;
    try {
      const fold = new Fold();
      const marks = new DoneMarks(sweep.total);
      const marked = await store.countDone(sweep.id);
      const folder = await (dependencies.openFolder ?? SweepFolder.open)(
        resultsDir,
        sweep,
        (line) => {
          if (line === undefined || line.sweep !== sweep.id || !marks.isPlace(line.place)) {
            fold.unreadableLines += 1;
          } else if (fold.add(line)) marks.add(line.place);
        },
        { beforeWriting: () => checkFolder({ lease, marked, found: marks.count, resultsDir }) },
      );
      const deadLetterCount = await dependencies.deadLetters.count(sweep.id);
      const served = new ServedSweep(sweep, { fold, folder, lease, marks, deadLetterCount }, dependencies);
      await served.#begin();
      return served;
    } catch (error) {
      if (error instanceof HaltlineError && isOfFolder(error)) {
        await store.setRefusal(sweep.id, error.message);
      }
      await lease.release();
      throw error;
    }
  }

  /** What the runs on disk came to. */
  get spent(): Spend {
    return spentOf(this.file, this.fold.spending.values());
  }

  /** As it stands in `sweep.json`. */
  get file(): SweepFile {
    return this.#folder.sweep;
  }

  get sweep(): LiveSweep {
    return this.#sweep;
  }

  /** The sweep was announced again: its limits and prices may be others. */
  async adopt(sweep: LiveSweep): Promise<void> {
    if (sweep === this.#sweep || !this.#lease.isHeld()) return;
    this.#sweep = sweep;
    await this.#folder.setSweep(sweep);
    await this.#recount();
  }

  get summary(): Summary | undefined {
    return this.#summaries.latest;
  }

  /** As last seen in Redis. */
  get status(): SweepStatus {
    return this.#status;
  }

  /** Another metrics worker has the sweep: what this one knows of it grows old. */
  get isTakenOver(): boolean {
    return this.#lease.isTakenOver;
  }

  get deadLetterCount(): number {
    return this.#deadLetterCount;
  }

  get isComplete(): boolean {
    return this.#marks.count >= this.sweep.total;
  }

  /** Writes results until `stop` is called, the lease is lost or the folder breaks; then lets go of both. */
  async run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#turn();
      } catch (error) {
        if (this.#isOver()) break;
        if (error instanceof FolderBroken) {
          this.#log.error({ event: 'folder-broken', err: error }, 'the sweep folder could not be written');
          break;
        }
        await this.#recover(error);
      }
    }
    await this.#end();
  }

  stop(): void {
    this.#stop.abort();
    this.#dependencies.stream.close();
  }

  #isOver(): boolean {
    return this.#stop.signal.aborted || this.#lease.lost.aborted;
  }

  async #begin(): Promise<void> {
    const { store, stream, token } = this.#dependencies;
    await stream.ensureGroup();
    await store.writeDone(this.sweep.id, this.#marks.bytes);
    await this.#recount();
    await store.clearRefusal(this.sweep.id);
    await store.setReady(this.sweep.id, token);
    await stream.dropIdleConsumers();
    this.#log.info(
      {
        ...{ event: 'sweep-taken', lease: token, lines: this.fold.lines },
        ...{ total: this.sweep.total, repeats: this.fold.repeats },
      },
      'writing the results of a sweep',
    );
  }

  async #turn(): Promise<void> {
    if (performance.now() - this.#healedAtMs >= healEveryMs) await this.#heal();
    const entries = await this.#nextEntries();
    for (const batch of cutBatches(entries)) await writeBatch(this.#ports(), batch);
    const mayFinish = this.#status === 'running' || this.#status === 'capped';
    if (this.isComplete && mayFinish) await this.#finish();
    this.#summaries.refresh((err) => {
      this.#log.warn({ event: 'summary-failed', err }, 'could not bring the summary up to date');
    });
  }

  /** What was left pending first; and again from time to time, for a frozen reader may have been given entries. */
  async #nextEntries(): Promise<StreamEntry[]> {
    const { stream } = this.#dependencies;
    if (performance.now() - this.#claimedAtMs >= reclaimEveryMs) this.#claimFrom ??= '0-0';
    if (this.#claimFrom === undefined) {
      await this.#gather();
      if (this.#isOver()) return [];
      const entries = await stream.read(batchEntries, blockMs);
      if (entries.length > 0 && entries.length < batchEntries)
        this.#gatherUntilMs = performance.now() + gatherMs;
      return entries;
    }
    const { entries, next } = await stream.claim(this.#claimFrom, batchEntries);
    this.#claimFrom = next === '0-0' ? undefined : next;
    this.#claimedAtMs = performance.now();
    return entries;
  }

  async #gather(): Promise<void> {
    const leftMs = this.#gatherUntilMs - performance.now();
    if (leftMs > 0) await sleep(leftMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }

  /** Puts right what Redis has lost, or what others have changed: it is compared with the file, which is the truth. */
  async #heal(): Promise<void> {
    const { store, token } = this.#dependencies;
    const { id } = this.sweep;
    if (!this.#lease.isHeld()) return;
    const status = await store.status(id);
    if (status !== undefined) this.#status = status;
    else if (['running', 'paused', 'capped'].includes(this.#status)) await this.#announceAgain();
    if (this.#isOver()) return;
    const marked = await store.countDone(id);
    if (marked !== this.#marks.count) {
      this.#log.warn({ event: 'marks-rewritten', marked, lines: this.#marks.count }, 'done marks rewritten');
      await store.writeDone(id, this.#marks.bytes);
      await this.#recount();
    }
    if (!(await store.isReady(id))) await store.setReady(id, token);
    this.#healedAtMs = performance.now();
  }

  /** Redis was emptied: the folder knows the sweep, so the workers can know it again. */
  async #announceAgain(): Promise<void> {
    const { store, stream } = this.#dependencies;
    if (!(await this.#lease.renew())) return;
    this.#log.warn({ event: 'sweep-announced-again' }, 'Redis no longer knew the sweep');
    await stream.ensureGroup();
    await store.announce(this.sweep);
    if (this.#status !== 'running') await store.setStatus(this.sweep.id, this.#status);
  }

  /** What is spent, by the file. */
  async #recount(): Promise<void> {
    const { spent } = this;
    await this.#dependencies.store.recount(this.sweep.id, this.#lease.token, spent);
  }

  async #finish(): Promise<void> {
    await this.#summaries.finish();
    await this.#dependencies.store.setStatus(this.sweep.id, 'finished');
    this.#status = 'finished';
    this.#log.info({ event: 'sweep-finished', runs: this.fold.lines }, 'all runs of the sweep are on disk');
  }

  async #recover(error: unknown): Promise<void> {
    this.#claimFrom = '0-0';
    this.#healedAtMs = -Infinity;
    const isGone = isStreamGone(error);
    if (!(error instanceof LeaseLost)) {
      const event = isGone ? 'results-stream-gone' : 'results-unwritten';
      this.#log.warn({ event, err: error }, 'results are taken up again');
    }
    if (!isGone) await sleep(retryMs);
    else await this.#dependencies.stream.ensureGroup().catch(() => sleep(retryMs));
  }

  async #end(): Promise<void> {
    this.#dependencies.stream.close();
    await this.#summaries.settled();
    // The last figures of a sweep that goes on elsewhere, or later.
    if (this.#lease.isHeld()) await this.#summaries.finish().catch(() => undefined);
    await this.#folder.close();
    await this.#lease.release().catch(() => undefined);
  }

  #ports(): BatchPorts {
    const { store, runs, deadLetters } = this.#dependencies;
    return {
      sweep: this.sweep.id,
      folder: this.#folder,
      runs,
      store,
      lease: this.#lease,
      marks: this.#marks,
      fold: this.fold,
      spent: () => this.spent,
      deadLetter: async (letter: DeadLetter) => {
        await deadLetters.add(letter);
        this.#deadLetterCount += 1;
        this.#log.warn(
          { event: 'result-dead-lettered', reason: letter.reason },
          'a result could not be used',
        );
      },
      onNewer: (place) => this.#warnNewer(place),
    };
  }

  #warnNewer(place: number): void {
    if (performance.now() - this.#warnedNewerAtMs < warnNewerEveryMs) return;
    this.#warnedNewerAtMs = performance.now();
    this.#log.warn({ event: 'result-newer', place }, 'a result of a newer version waits for a newer worker');
  }
}

function isOfFolder({ code }: HaltlineError): boolean {
  return code === 'FOLDER_BEHIND' || code === 'FOLDER_UNSAFE';
}

function checkFolder(state: { lease: Lease; marked: number; found: number; resultsDir: string }): void {
  const { lease, marked, found, resultsDir } = state;
  if (!lease.isHeld()) throw new LeaseLost('the lease ran out while the folder was read');
  if (found >= marked) return;
  throw new HaltlineError(
    'FOLDER_BEHIND',
    `the folder under ${resultsDir} holds ${found} runs of this sweep, but ${marked} are marked as done: ` +
      'start the metrics worker where the results are',
  );
}

/** Entries in groups whose runs fit into memory together. */
function cutBatches(entries: readonly StreamEntry[]): StreamEntry[][] {
  const batches: StreamEntry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const size = entry.entry?.bytes ?? 0;
    if (bytes + size > batchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(entry);
    bytes += size;
  }
  return batches;
}
