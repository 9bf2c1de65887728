import { writeFile } from 'node:fs/promises';
import { openChainFiles } from '../../producers/chains/open-chain-files.ts';
import { renderSignatures } from '../../shared/core/report/signatures.ts';
import { renderSignaturesSvg } from '../../shared/core/report/signatures-svg.ts';
import { HaltlineError } from '../../shared/errors.ts';
import type { FlagBasis } from '../../workers/metrics/signatures/read-flagged-runs.ts';
import { signFolders, type SourceLabel } from '../../workers/metrics/signatures/sign-folders.ts';
import { flagTypesOf } from '../../workers/monitor/create-monitor.ts';
import { findSweepFolder, type JudgedFolder } from '../judged-folder.ts';
import { openSession } from '../session.ts';

export interface SignatureFlags {
  readonly monitor?: string;
  readonly flags?: FlagBasis;
  readonly labels?: readonly string[];
  readonly seed: number;
  readonly resultsDir: string;
  readonly out?: string;
  readonly json: boolean;
}

/** Prints the signatures in the runs of sweep folders. @returns the exit code */
export async function signatures(sweeps: readonly string[], flags: SignatureFlags): Promise<number> {
  openSession('signatures', { quiet: true });
  const { out, monitor } = flags;
  if (out !== undefined && !out.toLowerCase().endsWith('.svg')) {
    throw new HaltlineError('CONFIG_INVALID', `--out ${out}: expected a name that ends in .svg`);
  }
  const folders = await openFolders(sweeps, flags.resultsDir);
  checkMonitor(folders, monitor);
  const report = await signFolders({
    folders,
    basis: basisOf(folders, flags.flags),
    seed: String(flags.seed),
    ...{ monitor, gives: flagTypesOf, labelOf: await readLabels(flags.labels ?? []) },
  });
  const width = process.stdout.isTTY ? { width: process.stdout.columns } : {};
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : renderSignatures(report, width));
  if (out !== undefined) await writeFile(out, renderSignaturesSvg(report));
  return report.monitors.some(({ classes }) => classes.some(({ runs }) => runs > 0)) ? 0 : 1;
}

/** A folder that is named twice would count its runs twice. */
async function openFolders(sweeps: readonly string[], resultsDir: string): Promise<JudgedFolder[]> {
  const folders: JudgedFolder[] = [];
  for (const sweep of sweeps) {
    const folder = await findSweepFolder(sweep, resultsDir);
    const known = folders.find(({ file }) => file.id === folder.file.id);
    if (known !== undefined) {
      throw new HaltlineError(
        'CONFIG_INVALID',
        `${sweep}: the same sweep as ${known.dir}, expected each once`,
      );
    }
    folders.push(folder);
  }
  return folders;
}

function checkMonitor(folders: readonly JudgedFolder[], monitor: string | undefined): void {
  const ids = new Set(folders.flatMap(({ file }) => file.spec.monitors.map(({ id }) => id)));
  if (monitor === undefined || ids.has(monitor)) return;
  const expected = [...ids].join(', ') || 'no monitor';
  throw new HaltlineError('CONFIG_INVALID', `--monitor ${monitor}: expected one of ${expected}`);
}

function basisOf(folders: readonly JudgedFolder[], asked: FlagBasis | undefined): FlagBasis {
  const halting = folders.find(({ file }) => file.spec.intervention === 'halt');
  if (asked === 'all' && halting !== undefined) {
    const problem = `the runs of ${halting.file.id} were halted at their first flag, expected sweeps under \`flag\``;
    throw new HaltlineError('CONFIG_INVALID', `--flags all: ${problem}`);
  }
  return asked ?? (halting === undefined ? 'all' : 'first');
}

/** Labels by data set and id; two chains of one name that differ in their labels have none. */
async function readLabels(
  paths: readonly string[],
): Promise<((dataset: string, id: string) => SourceLabel | undefined) | undefined> {
  if (paths.length === 0) return undefined;
  const files = await openChainFiles(paths, { seed: '0' });
  files.close();
  const labels = new Map<string, SourceLabel | undefined>();
  for (const { dataset, id, firstError, errorType } of files.labels) {
    const name = JSON.stringify([dataset, id]);
    const known = labels.get(name);
    const isNew = !labels.has(name);
    const isSame = known?.firstError === firstError && known.errorType === errorType;
    labels.set(name, isNew || isSame ? { firstError, errorType } : undefined);
  }
  return (dataset, id) => labels.get(JSON.stringify([dataset, id]));
}
