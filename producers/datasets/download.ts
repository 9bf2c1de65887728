import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HaltlineError } from '../../shared/errors.ts';

export interface DownloadOptions {
  readonly url: string;
  /** Written whole or not at all; what has arrived so far stands in `TO.part`. */
  readonly to: string;
  /** Of the whole file, hex; nothing is kept that doesn't have it. */
  readonly sha256?: string;
  readonly signal: AbortSignal;
  /** After every piece. `total` is missing where the server doesn't tell it. Bytes. */
  readonly onProgress?: (received: number, total: number | undefined) => void;
  readonly limits?: Partial<DownloadLimits>;
}

export interface DownloadLimits {
  readonly attempts: number;
  /** A server that sends nothing for so long is asked again. */
  readonly idleMs: number;
  readonly maxBytes: number;
  /** Before attempt n + 1, a wait of n times this. */
  readonly waitMs: number;
}

const defaultLimits: DownloadLimits = { attempts: 5, idleMs: 30_000, maxBytes: 2e9, waitMs: 1_000 };

/** What a part is of: a file may change between two attempts. */
const partSchema = z.object({ url: z.string(), validator: z.string() });

/**
 * Downloads a file. What broke off is taken up where it stopped, in this call or a later one, as long as the server
 * says (by its ETag) that the file is still the same; else it begins anew.
 *
 * @returns the SHA-256 of the file, hex
 * @throws HaltlineError DOWNLOAD_FAILED: what, where, and what was expected; CANCELLED when the signal came
 */
export async function download(options: DownloadOptions): Promise<{ sha256: string; bytes: number }> {
  const limits = { ...defaultLimits, ...options.limits };
  const part = `${options.to}.part`;
  await mkdir(dirname(options.to), { recursive: true });
  for (let attempt = 1; ; attempt += 1) {
    try {
      await receive(options, part, limits);
      break;
    } catch (error) {
      if (options.signal.aborted) throw new HaltlineError('CANCELLED', `${options.url}: stopped`);
      const isFinal = error instanceof HaltlineError && !error.retryable;
      if (isFinal || attempt >= limits.attempts) throw failure(options.url, error, attempt);
      await sleep(limits.waitMs * attempt, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return keep(options, part);
}

async function keep(
  { url, to, sha256 }: DownloadOptions,
  part: string,
): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(part), hash);
  const found = hash.digest('hex');
  const { size: bytes } = await stat(part);
  await rm(`${part}.json`, { force: true });
  if (sha256 !== undefined && found !== sha256.toLowerCase()) {
    await rm(part, { force: true });
    const message = `${url}: the file's SHA-256 is ${found}, expected ${sha256}; nothing was kept`;
    throw new HaltlineError('DOWNLOAD_FAILED', message);
  }
  await rename(part, to);
  return { sha256: found, bytes };
}

/** One request: the rest of the part, or the whole. */
async function receive(options: DownloadOptions, part: string, limits: DownloadLimits): Promise<void> {
  const { url, signal } = options;
  const watch = new Watchdog(limits.idleMs);
  try {
    const known = await readPart(url, part);
    const response = await fetch(url, {
      // A compressed body has other offsets than the file.
      headers: { 'accept-encoding': 'identity', ...(known && rangeOf(known)) },
      signal: AbortSignal.any([signal, watch.signal]),
    });
    watch.feed();
    const at = known && response.status === 206 && startOf(response) === known.bytes ? known.bytes : 0;
    if (response.status === 416 || (response.status === 206 && at === 0)) {
      await response.body?.cancel();
      await rm(part, { force: true });
      throw new HaltlineError('DOWNLOAD_FAILED', `${url}: the rest is not what was asked for`, {
        retryable: true,
      });
    }
    if (!response.ok || !response.body) throw refused(url, response.status);
    // Old bytes must not stand under the new file's ETag, should this process end in between.
    if (at === 0) await rm(part, { force: true });
    await notePart(url, part, response);
    await save(response.body, { at, part, total: totalOf(response, at), watch, limits, options });
  } catch (error) {
    if (watch.signal.aborted)
      throw new Error(`nothing came for ${limits.idleMs / 1_000} s`, { cause: error });
    throw error;
  } finally {
    watch.end();
  }
}

interface Saving {
  readonly at: number;
  readonly part: string;
  readonly total: number | undefined;
  readonly watch: Watchdog;
  readonly limits: DownloadLimits;
  readonly options: DownloadOptions;
}

async function save(
  body: ReadableStream<Uint8Array>,
  { at, part, total, watch, limits, options }: Saving,
): Promise<void> {
  let received = at;
  const file = await open(part, at > 0 ? 'a' : 'w');
  try {
    for await (const piece of body) {
      watch.feed();
      received += piece.length;
      if (received > limits.maxBytes)
        throw new HaltlineError('DOWNLOAD_FAILED', `${options.url}: over ${limits.maxBytes} bytes`);
      // At once, so that what has come stays when the next piece does not.
      await file.writeFile(piece);
      options.onProgress?.(received, total);
    }
  } finally {
    await file.close();
  }
  if (total !== undefined && received !== total) throw new Error(`${received} of ${total} bytes came`);
}

interface KnownPart {
  readonly bytes: number;
  readonly validator: string;
}

async function readPart(url: string, part: string): Promise<KnownPart | undefined> {
  try {
    const { size: bytes } = await stat(part);
    const noted = partSchema.parse(JSON.parse(await readFile(`${part}.json`, 'utf8')));
    return noted.url === url && bytes > 0 ? { bytes, validator: noted.validator } : undefined;
  } catch {
    return undefined;
  }
}

/** Without a strong ETag nothing is noted: then there is no telling whether the rest is of the same file. */
async function notePart(url: string, part: string, response: Response): Promise<void> {
  const validator = response.headers.get('etag');
  if (validator === null || validator.startsWith('W/')) await rm(`${part}.json`, { force: true });
  else await writeFile(`${part}.json`, JSON.stringify({ url, validator }));
}

function rangeOf({ bytes, validator }: KnownPart): Record<string, string> {
  return { range: `bytes=${bytes}-`, 'if-range': validator };
}

function startOf(response: Response): number | undefined {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  return start === undefined ? undefined : Number(start);
}

function totalOf(response: Response, at: number): number | undefined {
  const length = response.headers.get('content-length');
  return length === null ? undefined : at + Number(length);
}

function refused(url: string, status: number): HaltlineError {
  const retryable = status === 429 || status >= 500;
  return new HaltlineError('DOWNLOAD_FAILED', `${url}: the server answers ${status}, expected 200`, {
    retryable,
  });
}

function failure(url: string, error: unknown, attempts: number): HaltlineError {
  if (error instanceof HaltlineError) return error;
  // `fetch failed` says nothing; what it was stands behind it.
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${url}: ${reason}, after ${attempts} attempts; what has come is kept, start again to go on`;
  return new HaltlineError('DOWNLOAD_FAILED', message, { cause: error });
}

/** Aborts when it is not fed for a while. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(idleMs: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), idleMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  feed(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
