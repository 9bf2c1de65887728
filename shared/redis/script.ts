import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { RedisClient } from './connection.ts';
import { z } from 'zod';

/** What a script answers: a word first, then values that belong to it. */
export type Reply = readonly [string, ...unknown[]];

const replySchema = z.tuple([z.string()], z.unknown());

/** A Lua script with one effect. It is sent by hash, and in full when Redis does not know it (any more). */
export class Script {
  readonly #lua: string;
  readonly #sha: string;

  constructor(lua: string) {
    this.#lua = lua;
    this.#sha = createHash('sha1').update(lua).digest('hex');
  }

  async run(redis: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<Reply> {
    const parameters = [...keys, ...args.map(String)];
    gatherWrites(redis);
    try {
      return replySchema.parse(await redis.evalsha(this.#sha, keys.length, ...parameters));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return replySchema.parse(await redis.eval(this.#lua, keys.length, ...parameters));
    }
  }
}

/** Scripts that are sent in one turn of the event loop go out in one write, at its end: a write costs more than a script. */
function gatherWrites(redis: RedisClient): void {
  // A cluster's client has a connection a node, and an unconnected one none.
  const stream = redis instanceof Redis && redis.status === 'ready' ? redis.stream : undefined;
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
