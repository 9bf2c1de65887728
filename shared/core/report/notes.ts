import type { Estimate } from '../../schemas/estimate.ts';
import type { Spread, Summary, SummaryRow } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';
import { attackCell } from './attack-title.ts';
import { cellMarks, describeCounts, formatNumber, intervalCell } from './cells.ts';

/** What the figures of a report rest on and leave out, a line each, of any length. */
export function reportNotes(summary: Summary): string[] {
  const { rows } = summary;
  return [
    ...legend(rows),
    ...summary.targets.map(
      ({ id, reasoning, maxTokens }) =>
        `${terminalText(id)}: token limit ${maxTokens}; reasoning is ${reasoning}, so TAF counts ${countedText[reasoning]}`,
    ),
    ...rows.flatMap((row) => rowNotes(summary, row)),
    ...countNotes(summary),
    ...costNotes(summary),
  ];
}

const countedText = {
  visible: 'reasoning tokens',
  none: 'all generated tokens',
  hidden: 'reasoning tokens as the server reports them',
} as const;

function legend(rows: readonly SummaryRow[]): string[] {
  const figures = rows.flatMap(tableFigures);
  const isRough = figures.some((figure) => figure.rough === true && figure.value !== undefined);
  const isUnmeasurable = figures.some((figure) => (figure.dropped['notMeasurable'] ?? 0) > 0);
  return [
    'Shares are of scored runs. ASR wrong: answered and wrong (of the clean arm: the errors of the target itself). ' +
      'A halted run gives no answer, so read ASR beside the interrupts and the false interrupts.',
    ...(isRough ? [`${cellMarks.rough} rough: fewer than 30 questions, the interval is wide`] : []),
    ...(rows.some(({ replayed }) => replayed !== undefined)
      ? [
          'replayed: a verdict counts as ready at the recorded time of its step plus the time that judging took now; TAF at ' +
            'a cut is an upper bound, TAF at flag is exact, a LAF is simulated and stands below, not in the table',
        ]
      : []),
    ...(isUnmeasurable ? [`${cellMarks.unmeasurable} not measurable: the reasoning is hidden`] : []),
  ];
}

function tableFigures(row: SummaryRow): Estimate[] {
  const { asrWrong, asrTarget, taf, tafAtFlag, lafVsClean, lafGuarded, flagged, interrupted } = row;
  return [asrWrong, asrTarget, taf, tafAtFlag, lafVsClean, lafGuarded, flagged, interrupted].flatMap(
    (figure) => figure ?? [],
  );
}

function rowNotes(summary: Summary, row: SummaryRow): string[] {
  const parts = [
    share('unanswered', row.unanswered),
    share('refused', row.refused),
    share('filtered', row.filtered),
    share('cut at the token limit', row.hitLimit),
    share('backdoor step shown', row.asrStep),
    row.arm === 'attacked' || row.arm === 'guarded'
      ? share('errors of the clean arm', row.cleanErrorShare)
      : '',
    interrupts(row),
    versus(row),
    detection(row),
    simulated('replayed, simulated LAF vs clean', row.replayed?.lafVsClean),
    simulated('replayed, simulated LAF guarded', row.replayed?.lafGuarded),
    dropped('dropped', row.dropped),
    dropped('left out of TAF', pairReasons(row.taf, row)),
    dropped('left out of LAF vs clean', pairReasons(row.lafVsClean, row)),
    dropped('left out of LAF guarded', pairReasons(row.lafGuarded, row)),
  ].filter((part) => part !== '');
  if (parts.length === 0) return [];
  const [before, after] = [
    [row.target, row.dataset],
    [row.arm, row.monitor ?? ''],
  ].map((words) => terminalText(words.filter(Boolean).join(' ')));
  return [`${before} ${attackCell(summary, row.attack)} ${after}: ${parts.join('; ')}`];
}

/** Nothing to say of a share of 0. */
function share(name: string, figure: Estimate | undefined): string {
  if (figure?.value === undefined || figure.value === 0) return '';
  return `${name} ${formatNumber(figure.value)} ${intervalCell(figure)}`;
}

function simulated(name: string, figure: Estimate | undefined): string {
  return figure?.value === undefined
    ? ''
    : `${name} ${formatNumber(figure.value)} ${intervalCell(figure)}`.trimEnd();
}

function interrupts({ interrupted }: SummaryRow): string {
  if (interrupted === undefined || interrupted.cut + interrupted.blocked === 0) return '';
  return `interrupted: ${interrupted.cut} cut, ${interrupted.blocked} blocked after the last token`;
}

function versus({ versusAttacked }: SummaryRow): string {
  if (versusAttacked?.difference.value === undefined) return '';
  const { difference, pValue } = versusAttacked;
  const size = formatNumber(difference.value ?? 0);
  return `attacked minus guarded, wrong: ${size} ${intervalCell(difference)}, p = ${pValue.toPrecision(2)}`;
}

function detection({ detection: times }: SummaryRow): string {
  const parts = [
    spread('unsafe step to end, ms', times?.ms),
    spread('tokens to the cut', times?.tokens),
    spread('verdict, ms', times?.verdictMs),
  ].filter((part) => part !== '');
  if (times !== undefined && times.unjudged > 0) parts.push(`${times.unjudged} steps unjudged`);
  return parts.join('; ');
}

function spread(name: string, figures: Spread | undefined): string {
  if (figures === undefined) return '';
  return `${name}: p50 ${formatNumber(figures.p50)}, p95 ${formatNumber(figures.p95)}, max ${formatNumber(figures.max)}`;
}

function dropped(name: string, counts: Readonly<Record<string, number>>): string {
  const text = describeCounts(counts);
  return text === '' ? '' : `${name}: ${text}`;
}

/** What a paired figure left out beyond the runs that the row drops anyway. */
function pairReasons(figure: Estimate | undefined, row: SummaryRow): Record<string, number> {
  return Object.fromEntries(
    Object.entries(figure?.dropped ?? {}).filter(([reason]) => !(reason in row.dropped)),
  );
}

function countNotes({ counts }: Summary): string[] {
  const { repeats, unreadableLines, deadLetters, crashRestarts, reused, lateUse } = counts;
  const line = describeCounts({
    'repeated lines': repeats,
    'unreadable lines': unreadableLines,
    'dead letters': deadLetters,
    'runs restarted after a crash': crashRestarts,
    'runs reused': reused,
    'monitor calls ended after their run was on disk': lateUse['calls'] ?? 0,
    'tokens of cancelled runs, on no line': lateUse['cancelledTokens'] ?? 0,
  });
  return line === '' ? [] : [`counts: ${line}`];
}

function costNotes({ cost }: Summary): string[] {
  const { target, monitor } = cost;
  const money = cost.money === undefined ? '' : `; cost ${formatNumber(cost.money)}`;
  const missing =
    cost.withoutUsage === 0 ? '' : ` (${cost.withoutUsage} runs reported no usage: theirs are local counts)`;
  const ofTarget =
    target === undefined
      ? 'none asked of a target'
      : `target ${target.prompt} in, ${target.completion} out, ${target.wasted + target.wastedPrompt} wasted`;
  return [`tokens: ${ofTarget}; monitor ${monitor.tokensIn} in, ${monitor.tokensOut} out${money}${missing}`];
}
