import type { TestProject } from 'vitest/node';
import { loadConfig } from '../../shared/config.ts';
import { createLogger } from '../../shared/observability/logger.ts';
import { obtainRedis } from '../../shared/redis/embedded-redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    redisUrl: string;
  }
}

/** One real Redis for all test files: that of REDIS_URL, else an embedded one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLogger({ level: 'info', name: 'test' });
  const redis = await obtainRedis({ config: loadConfig(process.env), log });
  project.provide('redisUrl', redis.url);
  return () => redis.stop();
}
