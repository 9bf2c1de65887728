import { z } from 'zod';
import { expect, test } from 'vitest';
import { createRandom } from '../../shared/core/random.ts';
import { buildJob, createPipeline, scriptedMonitor, scriptedSteps } from '../support/pipeline.ts';
import { holdReplies } from '../support/held-replies.ts';

const RUNS = 500;
const bodySchema = z.object({ messages: z.array(z.object({ content: z.string() })).min(1) });

/** What the script makes certain of run i: its number of steps, and its first unsafe step if it has one. */
function scriptOf(place: number): { steps: number; unsafe: number | undefined } {
  const random = createRandom(`held-replies/${String(place)}`);
  const steps = 2 + random.int(12);
  return { steps, unsafe: random.int(3) === 0 ? undefined : random.int(steps) };
}

test(
  'with replies held back while pushes overtake them, 500 runs get exactly the flags that their script makes certain',
  { timeout: 120_000 },
  async () => {
    const pipeline = await createPipeline({
      simulator: {
        script: (body) => {
          const place = Number(bodySchema.parse(body).messages[0]?.content.split(' ').at(-1));
          const { steps, unsafe } = scriptOf(place);
          const texts = scriptedSteps(steps).map((text, i) => (i === unsafe ? `UNSAFE ${text}` : text));
          return { reasoning: texts, content: ['The answer is 42.'] };
        },
      },
      spec: { intervention: 'flag' },
      total: RUNS,
      workerRedis: async (redis) => {
        const port = await holdReplies(redis.port ?? 6379, createRandom('held-replies'), 10);
        return { ...redis, host: '127.0.0.1', port };
      },
    });
    await pipeline.startMonitor(scriptedMonitor((step) => step.text.startsWith('UNSAFE')));
    await pipeline.startGeneration();
    await pipeline.addJobs(Array.from({ length: RUNS }, (_, place) => buildJob(pipeline.sweep, place)));
    await pipeline.allCommitted(RUNS);
    const wrong: string[] = [];
    for (let place = 0; place < RUNS; place += 1) {
      const run = await pipeline.store.read({ sweep: pipeline.sweep.id, place });
      const { steps, unsafe } = scriptOf(place);
      const seen = {
        flag: run?.result.flag?.stepIndex,
        steps: run?.steps.length,
        unjudged: run?.result.unjudged,
      };
      const wanted = { flag: unsafe, steps: steps + 1, unjudged: 0 };
      if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
        wrong.push(`${place}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);
