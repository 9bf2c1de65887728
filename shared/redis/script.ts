import { createHash } from 'node:crypto';
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
    try {
      return replySchema.parse(await redis.evalsha(this.#sha, keys.length, ...parameters));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return replySchema.parse(await redis.eval(this.#lua, keys.length, ...parameters));
    }
  }
}
