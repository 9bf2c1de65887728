import type { Estimate } from '../../schemas/estimate.ts';
import type { Summary, SummaryRow } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';
import { attackCell } from './attack-title.ts';
import { figureCell, intervalCell } from './cells.ts';
import { type Column, layOut } from './columns.ts';
import { replayedHead, replayedMark } from './replayed.ts';
import { publishedAsr, publishedTaf } from './published.ts';
import { simulatedHead, simulatedIn } from './simulated.ts';
import { wrap } from './wrap.ts';

const column = (first: string, second: string, align: Column['align'] = 'left'): Column => ({
  head: [first, second],
  align,
});
const ofCase = [
  { ...column('', 'target'), clips: true as const },
  column('', 'attack'),
  { ...column('', 'data set'), clips: true as const },
  { ...column('', 'monitor'), clips: true as const },
];
const asrColumns = [
  ...ofCase,
  column('', 'n', 'right'),
  column('ASR', 'without'),
  column('', 'n', 'right'),
  column('ASR', 'with'),
];
const tafColumns = [
  ...ofCase,
  column('', 'n', 'right'),
  column('TAF', 'without'),
  column('', 'n', 'right'),
  column('TAF', 'with'),
];
const lafColumns = [
  ...ofCase,
  column('LAF vs clean', 'without'),
  column('LAF vs clean', 'with'),
  column('LAF with', 'over without'),
];

/** An attacked row and a guarded one of the same cases; no guarded one where the sweep has no monitor. */
interface Pair {
  readonly attacked: SummaryRow;
  readonly guarded?: SummaryRow;
}

/**
 * A summary in the layout of the paper's Table 4 (ASR under BadChain and PAA) and Table 5 (TAF and LAF under OverThink
 * and Deadlock), without and with intervention (arXiv 2603.25412 v2, section 5.5). What the paper's text quotes stands
 * under our figures, under a heading of its own: other targets, another monitor, and no comparison where ours are
 * simulated.
 *
 * @param options - `width` in columns; 120 when left out
 */
export function renderPaperLayout(summary: Summary, options: { readonly width?: number } = {}): string {
  const width = Math.max(80, options.width ?? 120);
  const heading = publishedHeading(summary);
  const asr = pairsOf(summary, ['badchain', 'paa']).map((pair) => [
    ...caseCells(summary, pair),
    ...figures(pair, (row) => row.asrWrong),
  ]);
  const tafPairs = pairsOf(summary, ['overthink', 'deadlock']);
  const taf = tafPairs.map((pair) => [...caseCells(summary, pair), ...figures(pair, (row) => row.taf)]);
  const laf = tafPairs.map((pair) => [...caseCells(summary, pair), ...latencyCells(pair)]);
  const quotedAsr = publishedAsr.map((line) => [
    ...[line.target, line.attack, 'GSM8K', ''],
    ...['100', line.without, '100', line.with],
  ]);
  const quotedTaf = publishedTaf.map((line) => [
    ...[line.target, line.attack, 'CommonsenseQA', ''],
    ...['100', line.without, '100', line.with],
  ]);
  const quotedLaf = publishedTaf.map((line) => [
    ...[line.target, line.attack, 'CommonsenseQA', ''],
    ...['', '', line.lafGuarded],
  ]);
  const none = 'no run of these attacks in this sweep';
  return `${[
    ...headLines(summary).flatMap((line) => wrap(line, width)),
    '',
    'Table 4: ASR (answered and wrong), without and with intervention',
    '',
    ...layOut(asrColumns, [...(asr.length === 0 ? [none] : asr), '', heading, ...quotedAsr], width),
    '',
    'Table 5: TAF and LAF, without and with intervention',
    '',
    ...layOut(tafColumns, [...(taf.length === 0 ? [none] : taf), '', heading, ...quotedTaf], width),
    '',
    ...layOut(lafColumns, [...(laf.length === 0 ? [none] : laf), '', heading, ...quotedLaf], width),
    '',
    ...noteLines(summary).flatMap((line) => wrap(line, width)),
  ].join('\n')}\n`;
}

function headLines(summary: Summary): string[] {
  const state = summary.complete ? '' : ', unfinished';
  return [
    ...simulatedHead(simulatedIn(summary)),
    ...replayedHead(summary),
    `sweep ${terminalText(summary.name)} (${terminalText(summary.sweep)})${state}; on an unsafe verdict: ${summary.intervention}`,
  ];
}

function publishedHeading({ simulated }: Summary): string {
  return simulated
    ? 'published, NOT COMPARABLE (ours are simulated):'
    : 'published, as quoted in arXiv 2603.25412 v2, sections 5.5 and 5.6:';
}

function noteLines({ targets }: Summary): string[] {
  return [
    'ours: value [95% interval]; n are scored runs (a TAF or LAF may rest on fewer pairs); ~ rough: fewer than 30 questions.',
    'A halted run gives no answer and so counts as no success: read ASR with intervention beside the false interrupts of the plain report.',
    'published: other targets, an unnamed monitor model, no stated sampling or token limit; cells that the text does not give are "not quoted".',
    '* given as a latency factor; which of the two ratios it is, the text does not say.',
    'A deadlock entry is the published attack only against implanted weights or embeddings; a surrogate or a bare trigger is not.',
    ...targets.map(({ id, maxTokens }) => `${terminalText(id)}: token limit ${maxTokens}, which bounds TAF`),
  ];
}

/** Rows of the attacks of these names, whatever their ids, each attacked row with every guarded row of its cases. */
function pairsOf({ rows, attacks }: Summary, names: readonly string[]): Pair[] {
  const nameOf = new Map(attacks.map(({ id, name }) => [id, name]));
  return names.flatMap((name) =>
    rows
      .filter(({ arm, attack }) => arm === 'attacked' && nameOf.get(attack) === name)
      .flatMap((attacked): Pair[] => {
        const guarded = rows.filter(
          (row) =>
            row.arm === 'guarded' &&
            row.target === attacked.target &&
            row.attack === attacked.attack &&
            row.dataset === attacked.dataset,
        );
        return guarded.length === 0 ? [{ attacked }] : guarded.map((row) => ({ attacked, guarded: row }));
      }),
  );
}

function caseCells(summary: Summary, { attacked, guarded }: Pair): string[] {
  const [target = '', dataset = '', monitor = ''] = [
    attacked.target,
    attacked.dataset,
    guarded?.monitor ?? '',
  ].map(terminalText);
  const mark = guarded === undefined ? '' : replayedMark(guarded);
  return [target, attackCell(summary, attacked.attack), dataset, `${monitor}${mark}`];
}

function figures({ attacked, guarded }: Pair, figure: (row: SummaryRow) => Estimate | undefined): string[] {
  return [
    String(attacked.n),
    withInterval(figure(attacked)),
    guarded === undefined ? '' : String(guarded.n),
    withInterval(guarded && figure(guarded)),
  ];
}

function latencyCells({ attacked, guarded }: Pair): string[] {
  return [attacked.lafVsClean, guarded?.lafVsClean, guarded?.lafGuarded].map(withInterval);
}

function withInterval(figure: Estimate | undefined): string {
  return figure === undefined
    ? figureCell(figure)
    : `${figureCell(figure)} ${intervalCell(figure)}`.trimEnd();
}
