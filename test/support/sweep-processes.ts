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

/** A simulator, and a sweep of both attacks over GSM8K that nobody works on yet. */
export async function prepareSweep(
  redisUrl: string,
  simulator: SimulatorOptions = {},
): Promise<SweepProcesses> {
  const questionFile = join(dataDir, 'questions', 'gsm8k_test.jsonl');
  const running = await createSimulator({ answerFiles: [questionFile], logEntries: 100_000, ...simulator });
  onTestFinished(() => running.close());
  const resultsDir = await temporaryFolder();
  const target = (id: string, model: string): object => ({
    id,
    concurrency: 24,
    config: { apiBaseUrl: running.url, model },
    decoding: { maxTokens: 1_500 },
  });
  const spec = await writeSpec(resultsDir, {
    name: 'gsm8k',
    seed: 7,
    targets: [target('instruct', 'sim-instruct'), target('backdoored', 'sim-reasoner-backdoored')],
    attacks: ['badchain', 'deadlock'],
    datasets: [{ id: 'gsm8k', path: questionFile, limit: questions }],
  });
  const env = { REDIS_URL: redisUrl, HALTLINE_RESULTS_DIR: resultsDir, HALTLINE_METRICS_PORT: '0' };
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
