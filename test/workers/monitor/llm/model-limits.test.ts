import { expect, test } from 'vitest';
import { createKeys } from '../../../../shared/redis/keys.ts';
import { RequestLimiter } from '../../../../shared/redis/request-limiter.ts';
import { testRedis } from '../../../support/redis.ts';
import { silentLog } from '../../../support/silent-log.ts';
import { gistOf, judgeAll, noAbort, simulate, specAt, toolsWith } from './judging.ts';

test('a judgement waits for its turn at the model; one that gets none in time is no verdict and costs nothing', async () => {
  const { redis, prefix } = testRedis();
  const limiter = new RequestLimiter({ redis, keys: createKeys(prefix), log: silentLog });
  const { url, requests } = await simulate();
  const limits = { maxConcurrency: 1 };
  const spec = specAt(url, { limits, timeouts: { totalMs: 500 } });
  const tools = toolsWith({ limiter });
  const other = await limiter.gate(spec.config, limits).enter({ tokens: () => 0 }, noAbort);
  const held = await judgeAll(spec, ['First 2 + 3 = 5.'], { tools });
  expect(held.verdicts.map(({ status }) => status)).toEqual(['monitor_error']);
  expect(held.uses).toEqual([]);
  expect(requests()).toEqual([]);
  other?.leave();
  const free = await judgeAll(specAt(url, { limits }), ['First 2 + 3 = 5.'], { tools });
  expect(free.verdicts.map(gistOf)).toEqual(['NO_ERROR']);
  expect(requests()).toHaveLength(1);
  limiter.close();
});
