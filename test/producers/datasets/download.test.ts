import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { download, type DownloadOptions } from '../../../producers/datasets/download.ts';
import { type Exchange, startServer } from '../../shared/llm/raw-server.ts';
import { temporaryFolder } from '../../support/processes.ts';

const body = Buffer.from(Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join(''));
const sha256 = createHash('sha256').update(body).digest('hex');
const never = new AbortController().signal;

type Answer = (exchange: Exchange) => void;
/** The file, or the rest of it where the request names the ETag. */
const serve =
  (
    etag: string | undefined,
    change: (response: ServerResponse, bytes: Buffer) => void = (r, b) => r.end(b),
  ): Answer =>
  ({ headers, response }) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const isRest = start > 0 && headers['if-range'] === etag;
    const bytes = isRest ? body.subarray(start) : body;
    response.writeHead(isRest ? 206 : 200, {
      'content-length': bytes.length,
      ...(etag !== undefined && { etag }),
      ...(isRest && { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` }),
    });
    change(response, bytes);
  };
const cutInHalf = (response: ServerResponse, bytes: Buffer): void => {
  response.write(bytes.subarray(0, bytes.length / 2));
  setTimeout(() => response.destroy(), 100);
};

/** Downloads from a server that gives these answers in turn, the last one for ever. */
async function fetched(answers: readonly Answer[], changes: Partial<DownloadOptions> = {}) {
  const ranges: (string | undefined)[] = [];
  const url = await startServer((exchange) => {
    ranges.push(exchange.headers.range);
    return answers[Math.min(ranges.length, answers.length) - 1]?.(exchange);
  });
  const dir = await temporaryFolder();
  const to = join(dir, 'sub', 'set.jsonl');
  const options = { url, to, signal: never, ...changes };
  const limits = { waitMs: 1, idleMs: 5_000, ...changes.limits };
  const run = () => download({ ...options, limits });
  return { run, ranges, read: () => readFile(to), left: () => readdir(join(dir, 'sub')) };
}

describe('a download', () => {
  it('writes the file whole, under its name, and says its SHA-256', async () => {
    const { run, read, left } = await fetched([serve('"v1"')], { sha256 });
    expect(await run()).toEqual({ sha256, bytes: body.length });
    expect(await read()).toEqual(body);
    expect(await left()).toEqual(['set.jsonl']);
  });

  it('that breaks off goes on where it stopped, in the same call', async () => {
    const { run, read, ranges } = await fetched([serve('"v1"', cutInHalf), serve('"v1"')], { sha256 });
    await run();
    expect(await read()).toEqual(body);
    expect(ranges).toEqual([undefined, `bytes=${body.length / 2}-`]);
  });

  it('that was given up goes on in the next call', async () => {
    const answers = [serve('"v1"', cutInHalf), serve('"v1"')];
    const { run, read, ranges, left } = await fetched(answers, { sha256, limits: { attempts: 1 } });
    await expect(run()).rejects.toMatchObject({ code: 'DOWNLOAD_FAILED' });
    expect(await left()).toEqual(['set.jsonl.part', 'set.jsonl.part.json']);
    await run();
    expect(await read()).toEqual(body);
    expect(ranges[1]).toBe(`bytes=${body.length / 2}-`);
  });

  it.each([
    ['has changed', [serve('"v1"', cutInHalf), serve('"v2"')]],
    ['cannot tell whether it has changed', [serve(undefined, cutInHalf), serve(undefined)]],
    ['knows no ranges', [serve('"v1"', cutInHalf), ({ response }) => response.end(body)] satisfies Answer[]],
    [
      'answers with another range',
      [
        serve('"v1"', cutInHalf),
        ({ response }) => response.writeHead(206, { 'content-range': 'bytes 7-9/10' }).end('abc'),
        serve('"v1"'),
      ] satisfies Answer[],
    ],
    [
      'says that there is no such range',
      [
        serve('"v1"', cutInHalf),
        ({ response }) => response.writeHead(416).end(),
        serve('"v1"'),
      ] satisfies Answer[],
    ],
  ] as const)('begins anew where the server %s', async (_name, answers) => {
    const { run, read } = await fetched(answers, { sha256 });
    await run();
    expect(await read()).toEqual(body);
  });

  it('with another checksum than expected leaves nothing behind', async () => {
    const { run, left } = await fetched([serve('"v1"')], { sha256: 'a'.repeat(64) });
    await expect(run()).rejects.toThrow(`the file's SHA-256 is ${sha256}, expected ${'a'.repeat(64)}`);
    expect(await left()).toEqual([]);
  });

  it('follows a redirect', async () => {
    const other = await startServer(serve('"v1"'));
    const { run, read } = await fetched([
      ({ response }) => response.writeHead(302, { location: other }).end(),
    ]);
    await run();
    expect(await read()).toEqual(body);
  });

  it('is refused at once where asking again cannot help, and asked again where it can', async () => {
    const missing = await fetched([({ response }) => response.writeHead(404).end()]);
    await expect(missing.run()).rejects.toThrow(/: the server answers 404, expected 200$/);
    expect(missing.ranges).toHaveLength(1);
    const busy = await fetched([({ response }) => response.writeHead(503).end(), serve('"v1"')], { sha256 });
    await busy.run();
    expect(busy.ranges).toHaveLength(2);
  });

  it('from a server that falls silent is asked for again, and given up after so many attempts', async () => {
    const silent: Answer = ({ response }) => void response.writeHead(200, { etag: '"v1"' }).write('line 0\n');
    const { run, ranges } = await fetched([silent], { limits: { attempts: 2, idleMs: 1_000 } });
    await expect(run()).rejects.toThrow(/nothing came for 1 s, after 2 attempts; what has come is kept/);
    expect(ranges).toEqual([undefined, 'bytes=7-']);
  });

  it('that is too large is given up', async () => {
    const { run } = await fetched([serve('"v1"')], { limits: { maxBytes: 1_000 } });
    await expect(run()).rejects.toThrow(/: over 1000 bytes$/);
  });

  it('stops when it is told to, and keeps what has come', async () => {
    const controller = new AbortController();
    const slow: Answer = ({ response }) => void response.writeHead(200, { etag: '"v1"' }).write('line 0\n');
    const { run, left } = await fetched([slow], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(run()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await left()).toContain('set.jsonl.part');
  });
});
