import { attackTitle, attackCell } from '../../../shared/core/report/attack-title.ts';
import { errorCodeOf } from '../../../shared/core/source-labels.ts';
import type { FlagType } from '../../../shared/core/signatures/flag-types.ts';
import type { SignatureReport } from '../../../shared/core/signatures/signature-report.ts';
import { errorNames } from '../../../shared/core/taxonomy.ts';
import type { SweepFile } from '../../../shared/schemas/sweep-file.ts';
import type { MonitorSpec } from '../../../shared/schemas/sweep-spec.ts';
import { areLabelled } from '../recorded-targets.ts';
import { type FlagBasis, type FlaggedRun, readFlaggedRuns } from './read-flagged-runs.ts';
import { type BookEntry, type RunClass, SignatureBook } from './signature-book.ts';

/** Runs of the guarded arms in which nothing was injected. */
export const cleanClass: RunClass = { kind: 'clean', name: 'no attack' };

/** What the source of a labelled chain says of it. */
export interface SourceLabel {
  readonly firstError: number | null;
  readonly errorType: string | undefined;
}

export interface SignOptions {
  readonly folders: readonly { readonly dir: string; readonly file: SweepFile }[];
  readonly basis: FlagBasis;
  readonly seed: string;
  /** Only this monitor. */
  readonly monitor?: string | undefined;
  /** The types that a monitor can give. */
  readonly gives: (monitor: MonitorSpec) => readonly FlagType[];
  /** The label of a labelled chain, by its data set and id. */
  readonly labelOf?: ((dataset: string, id: string) => SourceLabel | undefined) | undefined;
}

/**
 * The signatures in the runs of one or more sweep folders, put together by monitor and attack. Folders are read once, a
 * run at a time.
 *
 * @throws HaltlineError DATA_MISSING
 */
export async function signFolders(options: SignOptions): Promise<SignatureReport> {
  const { folders, basis, seed } = options;
  const books = new Map<string, SignatureBook>();
  const [targets, datasets] = [new Set<string>(), new Set<string>()];
  for (const { dir, file } of folders) {
    for await (const run of readFlaggedRuns(dir, file, basis)) {
      if (options.monitor !== undefined && run.line.monitor !== options.monitor) continue;
      targets.add(run.line.target);
      datasets.add(run.line.dataset);
      bookOf(books, { run, file, options }).add(entryOf(run, { file, options }));
    }
  }
  return {
    sweeps: folders.map(({ file }) => file.id),
    ...{ targets: [...targets].sort(), datasets: [...datasets].sort() },
    ...{ basis, seed },
    monitors: [...books]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, book]) => book.result(seed)),
  };
}

interface Setting {
  readonly file: SweepFile;
  readonly options: SignOptions;
}

/** Monitors of one id but of another version, or that see something else, are different monitors. */
function bookOf(
  books: Map<string, SignatureBook>,
  { run, file, options }: Setting & { readonly run: FlaggedRun },
): SignatureBook {
  const { monitor, monitorVersion: version = '' } = run.line;
  const spec = file.spec.monitors.find(({ id }) => id === monitor);
  const sees = spec?.sees ?? 'user';
  const name = JSON.stringify([monitor, version, sees]);
  const gives = spec === undefined ? [] : options.gives(spec);
  const book = books.get(name) ?? new SignatureBook({ monitor, version, sees, gives });
  books.set(name, book);
  return book;
}

function entryOf(run: FlaggedRun, { file, options }: Setting): BookEntry {
  const { line } = run;
  if (!areLabelled(file, line.target)) {
    const question = `${line.dataset}/${line.questionId}`;
    return { run, question, classes: attackClasses(run, file), labelled: undefined };
  }
  const label = options.labelOf?.(line.dataset, line.questionId);
  const code = label && label.firstError !== null ? errorCodeOf(line.dataset, label.errorType) : undefined;
  return {
    run,
    // The id names the chain; chains of one question share its number in their sweep.
    question: `${file.id}/${String(line.cases[0]?.cluster ?? 0)}`,
    classes: [
      { kind: 'dataset', name: `data set ${line.dataset}` },
      ...(label === undefined ? [] : [labelClass(label, code)]),
    ],
    labelled:
      label === undefined || label.firstError === null || code === undefined
        ? undefined
        : { code, firstError: label.firstError },
  };
}

/** A run counts once under each attack of its cases, and once as clean. */
function attackClasses({ line }: FlaggedRun, { spec }: SweepFile): RunClass[] {
  const attacks = spec.attacks.map(({ id, name, parameters }) => ({
    ...{ id, name, title: attackTitle(name, parameters) },
  }));
  const names = new Map<string, RunClass>();
  for (const { arm, attack } of line.cases) {
    const known: RunClass =
      arm === 'guarded-clean' ? cleanClass : { kind: 'attack', name: attackCell({ attacks }, attack) };
    if (arm === 'guarded' || arm === 'guarded-clean') names.set(known.name, known);
  }
  return [...names.values()];
}

function labelClass({ firstError }: SourceLabel, code: keyof typeof errorNames | undefined): RunClass {
  if (firstError === null) return { kind: 'label', name: 'labelled without error' };
  return {
    kind: 'label',
    name: code === undefined ? 'labelled, no type' : `labelled ${code} ${errorNames[code]}`,
  };
}
