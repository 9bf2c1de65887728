import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { folderWith, startCommand } from '../support/run-command.ts';

const lineSchema = z.object({ place: z.number(), sweep: z.string() });

it(
  'a sweep stopped by Ctrl-C goes on with the same command, and prints its report once it is finished',
  { timeout: 240_000 },
  async () => {
    const simulator = await createSimulator({ tokensPerSecond: 100 });
    onTestFinished(() => simulator.close());
    const cwd = await folderWith({
      's.yaml': `
name: resumed
targets:
  - id: a
    concurrency: 4
    config: { apiBaseUrl: "${simulator.url}", model: sim-instruct }
attacks: [badchain]
datasets: [{ id: arithmetic, limit: 8 }]
`,
    });
    const first = startCommand(['run', 's.yaml'], { cwd });
    // 8 questions × 5 arms
    await first.said('8 questions, 8 cases, 40 runs');
    const hasAsked = async (): Promise<void> => {
      while (simulator.requests().length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await hasAsked();
    first.child.kill('SIGINT');
    const stopped = await first.ended;
    expect(stopped).toMatchObject({ code: 130, stdout: '' });
    expect(stopped.stderr).toMatch(
      /haltline: stopped; \d+ of 40 runs are on disk\. To go on: .*run s\.yaml\n$/,
    );
    expect(simulator.openRequests()).toBe(0);

    const second = await startCommand(['run', 's.yaml', '--json'], { cwd }).ended;
    expect(second.code).toBe(0);
    const summary = summarySchema.parse(JSON.parse(second.stdout));
    expect(summary).toMatchObject({ complete: true, simulated: true, counts: { lines: 40, repeats: 0 } });

    const text = await readFile(join(cwd, 'results', summary.sweep, 'runs.jsonl'), 'utf8');
    const places = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => lineSchema.parse(JSON.parse(line)).place);
    expect(places.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, place) => place));

    const asked = simulator.requests().length;
    const third = await startCommand(['run', 's.yaml'], { cwd }).ended;
    expect(third.code).toBe(0);
    expect(third.stdout).toContain('SIMULATED');
    expect(third.stderr).toContain('is finished; --new runs it once more');
    expect(simulator.requests().length).toBe(asked);
  },
);
