/*
 * A generation worker that ends with kill -9 right after one call of one method has had its effect:
 *   node --import tsx crashing-worker.ts CLASS.METHOD REDIS_URL PREFIX
 * It wraps the real class, so that production code needs no hook for it.
 */
import { redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { RunStore } from '../../shared/redis/run-store.ts';
import { SweepStore } from '../../shared/redis/sweep-store.ts';
import { startGenerationWorker } from '../../workers/generation/main.ts';
import { silentLog } from './silent-log.ts';

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>;

const [at = '', url = '', prefix = ''] = process.argv.slice(2);
const [className = '', methodName = ''] = at.split('.');
const prototypes: Readonly<Record<string, object>> = {
  RunStore: RunStore.prototype,
  SweepStore: SweepStore.prototype,
};
const prototype = prototypes[className];
const method: unknown = prototype && Reflect.get(prototype, methodName);
if (!prototype || !isMethod(method)) throw new Error(`no method ${at}`);
Reflect.set(prototype, methodName, async function (this: unknown, ...args: unknown[]) {
  await method.apply(this, args);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
});

await startGenerationWorker({
  redis: redisOptionsFromUrl(url),
  keys: createKeys(prefix),
  log: silentLog,
  env: process.env,
});

function isMethod(value: unknown): value is Method {
  return typeof value === 'function';
}
