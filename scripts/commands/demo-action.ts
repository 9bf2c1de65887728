import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { builtInPath } from '../../producers/datasets/load-questions.ts';
import { checkSpec } from '../../producers/load-spec.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { buildDemoSpec, demoTokensPerSecond } from '../demo-spec.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { prepareSweep } from '../prepare-sweep.ts';
import { exitCodeOf, printReport, readSummary } from '../print-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';
import { createSimulator } from '../simulator/create-simulator.ts';

export interface DemoFlags {
  readonly resultsDir: string;
  readonly json: boolean;
}

/** Runs the demo. @returns the exit code */
export async function demo({ resultsDir, json }: DemoFlags): Promise<number> {
  const { config, log } = openSession('demo', { quiet: true });
  const interrupts = catchInterrupts();
  const simulator = await createSimulator({
    answerFiles: [builtInPath('arithmetic')],
    tokensPerSecond: demoTokensPerSecond,
    logEntries: 0,
  });
  try {
    const loaded = { ...checkSpec('demo', buildDemoSpec(simulator.url)), file: 'demo', folder: '.' };
    const prepared = await prepareSweep(loaded, { nonce: randomUUID() });
    const { questionCount, total } = prepared.plan;
    const size = `${String(questionCount)} questions, ${String(total)} runs`;
    process.stderr.write(`haltline: demo against simulated models: ${size}\n`);
    const { end, progress } = await runSweep({
      ...{ prepare: () => Promise.resolve(prepared), resultsDir, config, log, interrupts },
      workers: { generation: 1, monitor: 1, metrics: 1 },
      env: process.env,
    });
    if (end !== 'finished') {
      process.stderr.write(
        `haltline: stopped; ${String(progress?.done ?? 0)} of ${String(total)} runs are on disk\n`,
      );
      return INTERRUPTED;
    }
    const dir = join(resultsDir, prepared.sweep.id);
    const summary = await readSummary(dir);
    if (summary === undefined) throw new HaltlineError('DATA_MISSING', `no summary.json in ${dir}`);
    printReport(summary, { json, dir });
    return exitCodeOf(summary);
  } finally {
    await simulator.close();
    interrupts.dispose();
  }
}
