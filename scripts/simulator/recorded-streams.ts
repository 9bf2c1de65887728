import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import type { Written } from './deliver-reply.ts';

/** How a recorded stream is delivered, as its `.expected.json` has it (`test/cases/README.md`, section 1). */
export const recordedStreamSchema = z.object({
  id: z.string(),
  response: z.object({ status: z.number(), headers: z.record(z.string(), z.string()) }),
  delivery: z.object({
    cuts: z.union([z.array(z.number()), z.literal('every_byte')]),
    end: z.enum(['clean', 'reset', 'client_abort', 'stall', 'keepalive_forever']),
  }),
});
export type RecordedStream = z.infer<typeof recordedStreamSchema> & { readonly body: Buffer };

/** A request for this model, followed by the id of a recorded stream, is answered by that stream. */
export const recordedModelPrefix = 'case:';
const KEEP_ALIVE_MS = 50;

/**
 * The recorded streams of a folder: of its `streams` folder if it has one, else of its own.
 * @throws when the folder or a description cannot be read
 */
export function loadRecordedStreams<Schema extends typeof recordedStreamSchema>(
  folder: string,
  schema: Schema,
): (z.infer<Schema> & { readonly body: Buffer })[] {
  const inner = join(folder, 'streams');
  const streams = existsSync(inner) ? inner : folder;
  const names = readdirSync(streams).filter((name) => name.endsWith('.sse'));
  return names.map((name) => {
    const text = readFileSync(join(streams, name.replace(/\.sse$/, '.expected.json')), 'utf8');
    const described = schema.parse(JSON.parse(text));
    return Object.assign(described, { body: readFileSync(join(streams, name)) });
  });
}

/** Writes a recorded stream as it was delivered, write by write, to its end or until the client hangs up. */
export async function playRecordedStream(
  stream: RecordedStream,
  response: ServerResponse,
  written: Written,
): Promise<void> {
  const { end } = stream.delivery;
  response.writeHead(stream.response.status, stream.response.headers);
  for (const bytes of recordedWrites(stream)) if (bytes.length > 0) await write(response, bytes);
  response.flushHeaders();
  written.closed = end === 'clean' ? 'finished' : end === 'reset' ? 'fault' : 'client';
  if (end === 'clean') response.end();
  if (end === 'reset') response.destroy();
  if (end !== 'keepalive_forever') return;
  const timer = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  response.on('close', () => clearInterval(timer));
}

/** The body in the writes in which it was delivered. */
function recordedWrites({ body, delivery }: RecordedStream): Buffer[] {
  if (delivery.cuts === 'every_byte') return [...body].map((byte) => Buffer.from([byte]));
  return cutAt(body, delivery.cuts);
}

export function cutAt(body: Buffer, cuts: readonly number[]): Buffer[] {
  const edges = [0, ...[...cuts].sort((a, b) => a - b), body.length];
  return edges.slice(1).map((edge, at) => body.subarray(edges[at], edge));
}

/** Resolves when the system has taken the bytes, so that pieces stay separate writes, or the client is gone. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}
