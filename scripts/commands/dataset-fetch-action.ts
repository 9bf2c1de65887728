import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { publicSets } from '../../producers/datasets/addresses.ts';
import { download } from '../../producers/datasets/download.ts';
import { hint } from '../../producers/explain-issue.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { createDownloadDisplay } from '../show-progress.ts';
import { importDataset } from './dataset-action.ts';

export interface FetchFlags {
  readonly to?: string;
  readonly url?: string;
  readonly sha256?: string;
}

/**
 * Downloads a public set, checks it and imports it. Ctrl-C exits with 130, and the next call goes on.
 * @throws HaltlineError CONFIG_INVALID, DOWNLOAD_FAILED, DATA_INVALID
 */
export async function fetchDataset(name: string, flags: FetchFlags): Promise<void> {
  const set = publicSets.find((one) => one.name === name);
  if (!set) {
    const known = publicSets.map((one) => one.name);
    throw new HaltlineError(
      'CONFIG_INVALID',
      `set: got ${JSON.stringify(name)}, expected ${hint(name, known)}`,
    );
  }
  const to = flags.to ?? join('data', `${name}.jsonl`);
  const url = readUrl(flags.url ?? set.url);
  const pinned = readSha256(flags.sha256) ?? set.sha256;
  const record = `${to}.sha256.json`;
  const expected = pinned ?? (await readRecord(record, url));
  const display = createDownloadDisplay({ isTerminal: process.stderr.isTTY, name });
  const interrupts = catchInterrupts();
  const source = `${to}.source`;
  try {
    const { sha256 } = await download({
      ...{
        url,
        to: source,
        signal: interrupts.signal,
        onProgress: (received: number, total: number | undefined) => display.show(received, total),
      },
      ...(expected !== undefined && { sha256: expected }),
    });
    display.stop();
    if (expected === undefined) await writeFile(record, `${JSON.stringify({ url, sha256 })}\n`);
    process.stdout.write(`sha256 ${sha256} (${sayChecked(pinned, expected, record)})\n`);
    await importDataset(set.format, source, to);
  } catch (error) {
    if (!(error instanceof HaltlineError) || error.code !== 'CANCELLED') throw error;
    process.stderr.write(`haltline: stopped; what has come is kept, run the same command to go on\n`);
    process.exitCode = INTERRUPTED;
    return;
  } finally {
    display.stop();
    interrupts.dispose();
  }
  await rm(source, { force: true });
  process.stdout.write(`in a spec: datasets: [{ id: ${name}, path: ${JSON.stringify(to)} }]\n`);
}

const recordSchema = z.object({ url: z.string(), sha256: z.string() });

/** The checksum that the first fetch from this address found; undefined where there was none. */
async function readRecord(path: string, url: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const found = recordSchema.parse(JSON.parse(text));
    return found.url === url ? readSha256(found.sha256) : undefined;
  } catch (cause) {
    const message = `${path}: not a record of a fetch; remove it to trust the next one`;
    throw new HaltlineError('DATA_INVALID', message, { cause });
  }
}

function sayChecked(pinned: string | undefined, expected: string | undefined, record: string): string {
  if (pinned !== undefined) return 'as expected';
  if (expected !== undefined) return `as in ${record}, which the first fetch wrote`;
  return `not verified: no checksum is known for it; noted in ${record} for later fetches`;
}

function readUrl(text: string): string {
  const isWeb = URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
  if (!isWeb)
    throw new HaltlineError('CONFIG_INVALID', `--url: got ${JSON.stringify(text)}, expected a web address`);
  return text;
}

function readSha256(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{64}$/i.test(text)) return text;
  throw new HaltlineError('CONFIG_INVALID', `--sha256: got ${JSON.stringify(text)}, expected 64 hex digits`);
}
