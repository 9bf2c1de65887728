import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainFiles, openChainFiles } from '../../producers/chains/open-chain-files.ts';
import { pricesById } from '../../shared/core/spend.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { readJudgedRuns } from '../../workers/metrics/read-judged-runs.ts';
import { buildChainReport, type ChainReport } from '../chain-report.ts';
import { chooseMonitors, type ChosenMonitors, type Policy } from '../choose-monitors.ts';
import { catchInterrupts, INTERRUPTED } from '../interrupts.ts';
import { prepareReplay } from '../prepare-replay.ts';
import type { PreparedSweep } from '../prepare-sweep.ts';
import { renderChainReport } from '../render-chain-report.ts';
import { runSweep } from '../run-sweep.ts';
import { openSession } from '../session.ts';

export interface BenchChainsFlags {
  readonly monitor: readonly string[];
  readonly policy: Policy;
  readonly limit?: number;
  readonly seed: number;
  readonly out?: string;
  readonly json: boolean;
}

/** Measures one monitor, or two, on labelled chains. @returns the exit code */
export async function benchChains(paths: readonly string[], flags: BenchChainsFlags): Promise<number> {
  if (flags.monitor.length > 2) {
    const given = String(flags.monitor.length);
    throw new HaltlineError('CONFIG_INVALID', `--monitor: got ${given} monitors, expected one or two`);
  }
  const chosen = await chooseMonitors(flags.monitor, { policy: flags.policy, env: process.env });
  const open = () => openChainFiles(paths, { limit: flags.limit, seed: String(flags.seed) });
  const out = flags.out ?? (await mkdtemp(join(tmpdir(), 'haltline-chains-')));
  try {
    const report = await replay(open, chosen, { out, seed: String(flags.seed) });
    if (report === undefined) return INTERRUPTED;
    process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : renderChainReport(report));
    return report.chains > 0 ? 0 : 1;
  } finally {
    if (flags.out === undefined) await rm(out, { recursive: true, force: true });
  }
}

interface Opened {
  readonly chains: ChainFiles;
  readonly prepared: PreparedSweep;
}

/** @returns undefined when Ctrl-C stopped it */
async function replay(
  open: () => Promise<ChainFiles>,
  { monitors, prices }: ChosenMonitors,
  { out, seed }: { readonly out: string; readonly seed: string },
): Promise<ChainReport | undefined> {
  const { config, log } = openSession('bench', { quiet: true });
  const interrupts = catchInterrupts();
  const startedAtMs = performance.now();
  let opened: Opened | undefined;
  let report: ChainReport | undefined;
  const reportOf = async ({ chains, prepared }: Opened): Promise<ChainReport> => {
    const seconds = (performance.now() - startedAtMs) / 1_000;
    return buildChainReport({
      labels: chains.labels,
      runs: await readJudgedRuns(join(out, prepared.sweep.id)),
      monitors: monitors.map(({ id }) => id),
      prices: pricesById(prepared.sweep.spec).monitors,
      ...{ seed, seconds },
    });
  };
  try {
    const { end, progress } = await runSweep({
      prepare: async () => {
        const chains = await open();
        opened = { chains, prepared: prepareReplay({ chains, monitors, prices, nonce: randomUUID() }) };
        announce(opened);
        return opened.prepared;
      },
      onFinished: async () => {
        if (opened) report = await reportOf(opened);
      },
      ...{ resultsDir: out, config, log, interrupts },
      workers: { generation: 1, monitor: 1, metrics: 1 },
      env: process.env,
    });
    if (end !== 'finished') {
      const done = `${String(progress?.done ?? 0)} of ${String(progress?.total ?? 0)} runs are on disk`;
      process.stderr.write(`haltline: stopped; ${done}\n`);
    }
    return report;
  } finally {
    interrupts.dispose();
    opened?.chains.close();
  }
}

function announce({
  chains,
  prepared: { sweep, plan },
}: {
  chains: ChainFiles;
  prepared: PreparedSweep;
}): void {
  const duplicates = chains.records.reduce((sum, record) => sum + record.duplicates, 0);
  const left = duplicates === 0 ? '' : `; ${String(duplicates)} duplicate lines left out`;
  const size = `${String(chains.labels.length)} chains, ${String(plan.total)} runs${left}`;
  process.stderr.write(`haltline: sweep ${sweep.id}: ${size}\n`);
}
