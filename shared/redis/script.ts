import { createHash } from 'node:crypto';
import type { RedisClient } from './connection.ts';

/** What a script answers: a word first, then values that belong to it. */
export type Reply = readonly [string, ...unknown[]];

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
      return asReply(await redis.evalsha(this.#sha, keys.length, ...parameters));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return asReply(await redis.eval(this.#lua, keys.length, ...parameters));
    }
  }
}

/** Every run has some ten of them: a schema for so plain a shape cost more than the rest of the call. */
function asReply(reply: unknown): Reply {
  if (!Array.isArray(reply)) throw new TypeError('a script answered without a list');
  const list: unknown[] = reply;
  const [word, ...values] = list;
  if (typeof word !== 'string') throw new TypeError('a script answered without a word');
  return [word, ...values];
}
