import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../shared/core/canonical-json.ts';
import type { LiveSweep } from '../../shared/schemas/live-sweep.ts';
import { type ChainRecord, type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';
import { type SweepFile, sweepFileSchema } from '../../shared/schemas/sweep-file.ts';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import { AppendFile } from './append-file.ts';
import { ChainWriter, cutTornChains } from './chain-files.ts';
import { readRunLines } from './run-lines.ts';

/** A run as it goes to disk: its line without the place of its chain, and its chain. */
export interface RunRecord {
  readonly line: Omit<RunLine, 'chain'>;
  readonly chain: ChainRecord;
}

/** What opening a folder finds in it, in order: each whole line, undefined for one that can't be read. */
export type OnLine = (line: RunLine | undefined) => void;

/**
 * The files of one sweep, for the one process that holds its lease. States: opened (torn ends cut, lines read), then
 * any number of `appendChains`, `appendLines`, `sync` in this order, then closed.
 */
export class SweepFolder {
  readonly dir: string;
  #sweep: SweepFile;
  #written: Promise<void> = Promise.resolve();
  readonly #lines: AppendFile;
  readonly #chains: ChainWriter;

  private constructor(dir: string, sweep: SweepFile, lines: AppendFile, chains: ChainWriter) {
    this.dir = dir;
    this.#sweep = sweep;
    this.#lines = lines;
    this.#chains = chains;
  }

  /**
   * Opens the folder of a sweep, or makes it. A torn last line and a torn last chain are cut off.
   *
   * @param beforeWriting - called when all is read and nothing is cut yet: what it throws leaves the folder as it is
   * @throws what the disk answers, and ZodError for a `sweep.json` that doesn't fit
   */
  static async open(
    resultsDir: string,
    sweep: LiveSweep,
    onLine: OnLine,
    options: { beforeWriting?: () => void; chainFileBytes?: number } = {},
  ): Promise<SweepFolder> {
    const dir = join(resultsDir, sweep.id);
    await mkdir(dir, { recursive: true });
    const known = await readSweepFile(dir);
    const file = sweepFileOf(sweep, known);
    const lines = await AppendFile.open(join(dir, 'runs.jsonl'), 'append');
    try {
      const { end, chainEnds } = await readAll(join(dir, 'runs.jsonl'), onLine);
      options.beforeWriting?.();
      if (lines.size > end) await lines.truncate(end);
      await cutTornChains(dir, chainEnds);
      if (!isEqual(known, file)) await writeWhole(dir, 'sweep.json', file);
      const rollOver = options.chainFileBytes === undefined ? {} : { rollOverBytes: options.chainFileBytes };
      return new SweepFolder(dir, file, lines, await ChainWriter.open(dir, rollOver));
    } catch (error) {
      await lines.close();
      throw error;
    }
  }

  get sweep(): SweepFile {
    return this.#sweep;
  }

  /** @returns where the chains of the batch stand */
  async appendChains(chains: readonly ChainRecord[]): Promise<RunLine['chain']> {
    return this.#chains.append(chains);
  }

  /** Where another process has written since, an empty line keeps what it may have torn apart from ours. */
  async appendLines(lines: readonly RunLine[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(runLineSchema.parse(line))}\n`).join('');
    const isOurs = (await this.#lines.sizeOnDisk()) === this.#lines.size;
    await this.#lines.append(Buffer.from(isOurs ? text : `\n${text}`));
  }

  /** Everything appended so far outlives a power cut, its directory entries too. */
  async sync(): Promise<void> {
    await this.#chains.sync();
    await this.#lines.sync();
    await syncDirectory(this.dir);
  }

  /** The sweep goes on with other limits or prices. */
  async setSweep(sweep: LiveSweep): Promise<void> {
    const file = sweepFileOf(sweep, this.#sweep);
    if (isEqual(file, this.#sweep)) return;
    this.#sweep = file;
    await this.#writeSweep();
  }

  async setSimulated(simulated: boolean): Promise<void> {
    if (this.#sweep.simulated === simulated) return;
    this.#sweep = { ...this.#sweep, simulated };
    await this.#writeSweep();
  }

  /** One after the other: the last to be written is the last to have changed. */
  async #writeSweep(): Promise<void> {
    const write = () => writeWhole(this.dir, 'sweep.json', sweepFileSchema.parse(this.#sweep));
    this.#written = this.#written.then(write, write);
    await this.#written;
  }

  async writeSummary(summary: Summary): Promise<void> {
    await writeWhole(this.dir, 'summary.json', summarySchema.parse(summary));
  }

  async close(): Promise<void> {
    await this.#chains.close();
    await this.#lines.close();
  }
}

/** What is known of the runs stays, and when the sweep was made; all else is as the sweep goes on with. */
function sweepFileOf(sweep: LiveSweep, known: SweepFile | undefined): SweepFile {
  const { createdAtMs } = known ?? sweep;
  return sweepFileSchema.parse({ ...known, ...sweep, createdAtMs });
}

function isEqual(a: SweepFile | undefined, b: SweepFile): boolean {
  return a !== undefined && canonicalJson(a) === canonicalJson(b);
}

/** `sweep.json` of a folder; undefined when there is none. @throws ZodError when it doesn't fit */
export async function readSweepFile(dir: string): Promise<SweepFile | undefined> {
  let text: string;
  try {
    text = await readFile(join(dir, 'sweep.json'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return sweepFileSchema.parse(JSON.parse(text));
}

async function readAll(path: string, onLine: OnLine) {
  const chainEnds = new Map<string, number>();
  let end = 0;
  for await (const read of readRunLines(path)) {
    end = read.end;
    onLine(read.line);
    if (read.line === undefined) continue;
    const { file, offset, length } = read.line.chain;
    chainEnds.set(file, Math.max(chainEnds.get(file) ?? 0, offset + length));
  }
  return { end, chainEnds };
}

/** Replaces a file whole: a reader sees the old one or the new one. */
async function writeWhole(dir: string, name: string, value: unknown): Promise<void> {
  const draft = join(dir, `.${name}.${process.pid}.tmp`);
  // Left by a process of this number that died, or by somebody who wants it followed.
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { flush: true, flag: 'wx' });
  await rename(draft, join(dir, name));
  await syncDirectory(dir);
}

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
