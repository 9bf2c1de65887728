import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../scripts/simulator/create-simulator.ts';
import { dataDir, type HaltlineProcess, startHaltline, temporaryFolder, writeSpec } from './processes.ts';

export type WorkerKind = 'generation' | 'monitor' | 'metrics';

export interface SweepProcesses {
  readonly simulator: Simulator;
  readonly resultsDir: string;
  readonly workers: Record<WorkerKind, HaltlineProcess[]>;
  /** The producer; starting it again resumes the sweep. */
  produce(): HaltlineProcess;
  startWorker(kind: WorkerKind): HaltlineProcess;
}

/** Questions of GSM8K's test set for both attacks; `HALTLINE_E2E_QUESTIONS` asks for more of them. */
export const questions = Number(process.env['HALTLINE_E2E_QUESTIONS'] ?? 12);

/** What a sweep is over; its files of questions are all that the simulator knows. */
export interface SweepPlan {
  readonly name: string;
  readonly attacks: readonly (string | object)[];
  readonly datasets: readonly { readonly id: string; readonly path: string; readonly limit: number }[];
  /** Arms and the like, as a spec has them. */
  readonly more?: object;
}

/** A question file of the data folder. */
export function questionFile(name: string): string {
  return join(dataDir, 'questions', name);
}

const bothAttacks: SweepPlan = {
  name: 'gsm8k',
  attacks: ['badchain', 'deadlock'],
  datasets: [{ id: 'gsm8k', path: questionFile('gsm8k_test.jsonl'), limit: questions }],
};

/** A simulator, and a sweep (of both attacks over GSM8K unless told otherwise) that nobody works on yet. */
export async function prepareSweep(
  redisUrl: string,
  simulator: SimulatorOptions = {},
  plan: SweepPlan = bothAttacks,
  moreEnv: NodeJS.ProcessEnv = {},
): Promise<SweepProcesses> {
  const answerFiles = plan.datasets.map(({ path }) => path);
  const running = await createSimulator({ answerFiles, logEntries: 100_000, ...simulator });
  onTestFinished(() => running.close());
  const resultsDir = await temporaryFolder();
  const target = (id: string, model: string): object => ({
    id,
    concurrency: 24,
    config: { apiBaseUrl: running.url, model },
    decoding: { maxTokens: 1_500 },
  });
  const spec = await writeSpec(resultsDir, {
    name: plan.name,
    seed: 7,
    targets: [target('instruct', 'sim-instruct'), target('backdoored', 'sim-reasoner-backdoored')],
    attacks: plan.attacks,
    datasets: plan.datasets,
    ...plan.more,
  });
  const env = {
    ...{ REDIS_URL: redisUrl, HALTLINE_RESULTS_DIR: resultsDir, HALTLINE_METRICS_PORT: '0' },
    ...moreEnv,
  };
  const workers: SweepProcesses['workers'] = { generation: [], monitor: [], metrics: [] };
  return {
    simulator: running,
    resultsDir,
    workers,
    produce: () => startHaltline(['run', spec, '--no-workers', '--json'], env),
    startWorker: (kind) => {
      const worker = startHaltline(['worker', kind], env);
      workers[kind].push(worker);
      return worker;
    },
  };
}
