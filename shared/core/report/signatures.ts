import type { AttackReading, ReadClass } from '../signatures/attack-reading.ts';
import { type FlagType, flagTypes } from '../signatures/flag-types.ts';
import type { MonitorSignatures, SignatureClass, SignatureReport } from '../signatures/signature-report.ts';
import { errorCodes } from '../taxonomy.ts';
import { terminalText } from '../terminal-text.ts';
import { cellMarks, describeCounts, figureCell, formatNumber, intervalCell } from './cells.ts';
import { type Column, layOut } from './columns.ts';
import { publishedSignatures } from './published.ts';
import { simulatedHead } from './simulated.ts';
import { typeConfusionTable } from './type-confusion-table.ts';
import { wrap } from './wrap.ts';

/** Under this width the intervals of the reading are left to JSON. */
const narrow = 100;

const text = (first: string, second: string): Column => ({
  head: [first, second],
  align: 'left',
  clips: true,
});
const number = (first: string, second: string): Column => ({ head: [first, second], align: 'right' });

/**
 * Signatures as text for a terminal: for each monitor a table of types by attack, the reverse reading, and of labelled
 * chains a table of labelled by flagged types. Names from outside are escaped; nothing that a model wrote stands in it.
 *
 * @param options - `width` in columns; 120 when left out
 */
export function renderSignatures(report: SignatureReport, options: { readonly width?: number } = {}): string {
  const width = Math.max(80, options.width ?? 120);
  const head = [
    ...simulatedHead(simulatedInSignatures(report)),
    `signatures of ${report.sweeps.map(terminalText).join(', ')}`,
    `targets: ${report.targets.map(terminalText).join(', ') || 'none'}; data sets: ${report.datasets.map(terminalText).join(', ') || 'none'}`,
    basisLine(report),
  ];
  const monitors = report.monitors.flatMap((monitor) => [
    '',
    ...monitorLines(monitor, report, width).map((line) => line.trimEnd()),
  ]);
  const none = report.monitors.length === 0 ? ['', 'no run with a monitor'] : [];
  return `${[...head.flatMap((line) => wrap(line, width)), ...monitors, ...none].join('\n')}\n`;
}

/** What of a report the simulator has played. */
export function simulatedInSignatures({ monitors }: SignatureReport) {
  const played = monitors.filter(({ simulated }) => simulated.verdicts).map(({ monitor }) => monitor);
  return { chains: monitors.some(({ simulated }) => simulated.chains), monitors: [...new Set(played)] };
}

/** Which steps count, in words. */
export function basisLine({ basis }: Pick<SignatureReport, 'basis'>): string {
  return basis === 'all'
    ? 'every flagged step counts (runs under `flag` go on past their first); intervals count questions, not steps'
    : 'the first flagged step of a run counts';
}

/** The types with a column: what the monitor can give, and what was seen. */
export function shownTypes({ gives, classes }: MonitorSignatures): FlagType[] {
  return flagTypes.filter(
    (type) => gives.includes(type) || classes.some(({ shares }) => shares[type] !== undefined),
  );
}

/** What a monitor's types rest on. */
export function givesLine({ gives }: MonitorSignatures): string {
  if (gives.length === 0) return 'what types this monitor can give is not known';
  if (gives.length >= errorCodes.length) return 'this monitor can give every code';
  const missing = errorCodes.filter((code) => !gives.includes(code)).join(', ');
  return `this monitor can only give ${gives.join(', ')}; that ${missing} have no share says nothing about the attacks`;
}

function monitorLines(monitor: MonitorSignatures, report: SignatureReport, width: number): string[] {
  const version = monitor.version === '' ? '' : ` (${terminalText(monitor.version)})`;
  const replayed = monitor.replayed ? '; REPLAYED: stored chains judged again' : '';
  const head = [
    `monitor ${terminalText(monitor.monitor)}${version}, sees: ${terminalText(monitor.sees)}${replayed}`,
    givesLine(monitor),
  ];
  return [
    ...head.flatMap((line) => wrap(line, width)),
    '',
    ...profileTable(monitor, report, width),
    '',
    ...classNotes(monitor).flatMap((line) => wrap(line, width)),
    '',
    ...readingLines(monitor.reading, report.seed, width),
    ...(monitor.confusion ? ['', ...typeConfusionTable(monitor.confusion, monitor.gives, width)] : []),
  ];
}

function profileTable(monitor: MonitorSignatures, report: SignatureReport, width: number): string[] {
  const types = shownTypes(monitor);
  const columns = [
    text('', 'flags of'),
    number('', 'runs'),
    number('no', 'flag'),
    number('', report.basis === 'all' ? 'steps' : 'flags'),
    ...types.map((type) => number('', type)),
  ];
  const rows = monitor.classes.map((one) => [
    terminalText(one.name),
    ...[String(one.runs), figureCell(one.noFlag), String(one.flags)],
    ...types.map((type) => figureCell(one.shares[type])),
  ]);
  const isSimulated = monitor.simulated.chains || monitor.simulated.verdicts;
  const heading = isSimulated
    ? 'published, NOT COMPARABLE (ours are simulated): Figure 1, as far as the text quotes it'
    : 'published, labelled by people, other targets: arXiv 2603.25412 v2, Figure 1, as far as its text quotes it';
  const published = publishedSignatures.map(({ name, shares }) => [
    name,
    ...['', '', ''],
    ...types.map((type) => (type === 'UNKNOWN' ? '' : (shares[type] ?? ''))),
  ]);
  const hasAttacks = monitor.classes.some(({ kind }) => kind === 'attack');
  return layOut(columns, [...rows, ...(hasAttacks ? ['', heading, ...published] : [])], width);
}

function classNotes({ classes }: MonitorSignatures): string[] {
  const isRough = classes.some(({ noFlag }) => noFlag.rough === true);
  return [
    ...(isRough ? [`${cellMarks.rough} rough: fewer than 30 questions, the interval is wide`] : []),
    ...classes.flatMap(classNote),
  ];
}

/** The intervals of what was seen, and what was left out. */
function classNote({ name, noFlag, shares, dropped }: SignatureClass): string[] {
  const seen = flagTypes.flatMap((type) => {
    const share = shares[type];
    return share?.value === undefined || share.value === 0
      ? []
      : [`${type} ${formatNumber(share.value)} ${intervalCell(share)}`];
  });
  const left = describeCounts(dropped);
  const parts = [
    ...(noFlag.value === undefined ? [] : [`no flag ${formatNumber(noFlag.value)} ${intervalCell(noFlag)}`]),
    ...seen,
    ...(left === '' ? [] : [`left out: ${left}`]),
  ];
  return parts.length === 0 ? [] : [`${terminalText(name)}: ${parts.join('; ')}`];
}

function readingLines(reading: MonitorSignatures['reading'], seed: string, width: number): string[] {
  if ('none' in reading) return wrap(`no reading of attacks from flags: ${reading.none}`, width);
  const names = reading.classes.map(({ className }) => className);
  const columns = [
    text('', 'runs of'),
    number('', 'runs'),
    number('no', 'flag'),
    ...names.map((name) => ({ ...text('read as', terminalText(name)), align: 'right' as const })),
    number('un-', 'decided'),
    number('right of', 'flagged'),
    ...(width < narrow ? [] : [{ head: ['', '[95%]'], align: 'left' } satisfies Column]),
  ];
  return [
    ...wrap(
      `from the flags of a run to its attack: naive Bayes on which types a run shows, Laplace smoothing, every class as likely as any other; ${String(reading.folds)}-fold cross-validation over questions (seed ${terminalText(seed)}): nothing is fitted on the questions that it is judged on`,
      width,
    ),
    '',
    ...layOut(
      columns,
      reading.classes.map((one) => readingCells(one, names)),
      width,
    ),
    '',
    ...wrap(rightLine(reading), width),
  ];
}

function readingCells(
  { className, runs, noFlag, undecided, readAs, right }: ReadClass,
  names: readonly string[],
) {
  return [
    terminalText(className),
    ...[String(runs), String(noFlag)],
    ...names.map((name) => String(Object.hasOwn(readAs, name) ? (readAs[name] ?? 0) : 0)),
    ...[String(undecided), figureCell(right), intervalCell(right)],
  ];
}

function rightLine({ right, commonest, classes }: AttackReading): string {
  const silent = classes.reduce((sum, { noFlag }) => sum + noFlag, 0);
  return (
    `right: ${figureCell(right)} ${intervalCell(right)} of ${String(right.n)} flagged runs (always saying the commonest: ` +
    `${formatNumber(commonest)}); ${String(silent)} runs without a flag were not read at all: that is no reading as innocent`
  );
}
