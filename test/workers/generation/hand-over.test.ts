import { expect, test } from 'vitest';
import { stepSchema } from '../../../shared/schemas/step.ts';
import { buildJob, createPipeline } from '../../support/pipeline.ts';

/** One delta that ends a step and begins the next, which is not over for a long while. */
const slowChain = {
  reasoning: [
    'This is a first step, long enough.\n\nAnd this is the begin of a second.',
    ...Array.from({ length: 60 }, () => ' word'),
  ],
  content: ['The answer is 42.'],
};

test('a closing worker books all that an unguarded run had received, and the next one knows of no crash', async () => {
  const pipeline = await createPipeline({ simulator: { script: () => slowChain, tokensPerSecond: 40 } });
  const { sweep, redis, keys } = pipeline;
  const names = keys.run(sweep.id, 0);
  const unguarded = buildJob(sweep);
  delete unguarded.guard;
  const worker = await pipeline.startGeneration();
  await pipeline.addJobs([unguarded]);
  await expect.poll(() => redis.llen(names.steps), { timeout: 10_000, interval: 5 }).toBe(1);
  await worker.close();
  const [published] = (await redis.lrange(names.steps, 0, -1)).map((text) =>
    stepSchema.parse(JSON.parse(text)),
  );
  const received = Number(await redis.hget(names.run, 'handedOver'));
  expect(received).toBeGreaterThan(published?.tokens ?? Infinity);
  await pipeline.startGeneration();
  const { result } = await pipeline.committed(0);
  expect(result).toMatchObject({ epoch: 2, outcome: { status: 'answered' }, tokens: { wasted: received } });
  expect(result.timing.crashRestart).toBe(false);
});
