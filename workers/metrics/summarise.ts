import { flagTypes } from '../../shared/core/signatures/flag-types.ts';
import { attackTitle } from '../../shared/core/report/attack-title.ts';
import { arms } from '../../shared/schemas/arm.ts';
import type { SweepFile } from '../../shared/schemas/sweep-file.ts';
import type { SettledReasoning, Summary, SummaryRow } from '../../shared/schemas/summary.ts';
import * as asr from './asr.ts';
import { cost, ownPricesOf, pricesOf, totalCost } from './cost.ts';
import { named } from './detection.ts';
import type { Fold } from './fold.ts';
import { flagged, interrupted } from './interrupts.ts';
import { lafGuarded, lafVsClean } from './laf.ts';
import { areLabelled } from './recorded-targets.ts';
import type { Row } from './row.ts';
import { dropReason } from './run-facts.ts';
import { type CaseRun, DropCounts } from './pairs.ts';
import { settleReasoning, taf, tafAtFlag } from './taf.ts';

/** What a summary tells that stands in Redis, not in lines. */
export interface RedisCounts {
  readonly deadLetters: number;
  readonly lateUse: Readonly<Record<string, number>>;
}

/**
 * Every figure of a sweep, in steps, so that whoever drives it can see to other things in between (a row of ten thousand
 * questions takes a second). The last value is the summary. Lines folded meanwhile are counted by the rows
 * that come after: drive it to its end before folding on where that matters.
 */
export function* summarise(sweep: SweepFile, fold: Fold, redis: RedisCounts): Generator<undefined, Summary> {
  const head = summaryHead(sweep, fold, redis);
  const reasoning = new Map(head.targets.map((target) => [target.id, target.reasoning]));
  const rows: SummaryRow[] = [];
  for (const row of sortedRows(fold)) {
    rows.push(yield* summariseRow(sweep, row, reasoning.get(row.key.target) ?? 'none'));
    yield undefined;
  }
  return { ...head, rows: rows.map((row) => withSiblings(row, rows)) };
}

/** Drives `summarise` in one go. */
export function summariseNow(sweep: SweepFile, fold: Fold, redis: RedisCounts): Summary {
  const steps = summarise(sweep, fold, redis);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function summaryHead(sweep: SweepFile, fold: Fold, redis: RedisCounts): Omit<Summary, 'rows'> {
  const { spec } = sweep;
  return {
    v: 1,
    sweep: sweep.id,
    name: spec.name,
    haltline: sweep.haltline,
    simulated: fold.simulated,
    complete: fold.lines >= sweep.total,
    ...(sweep.replayed && { replayed: sweep.replayed }),
    intervention: spec.intervention,
    fail: spec.fail,
    segmentation: spec.segmentation,
    repeat: spec.repeat,
    targets: spec.targets.map((target) => ({
      id: target.id,
      model: target.config.model,
      reasoning: settleReasoning(
        target.reasoning,
        fold.reasoningSeen.get(target.id) ?? { visible: false, hidden: false },
      ),
      maxTokens: target.decoding.maxTokens,
      ...(fold.simulatedTargets.has(target.id) && { simulated: true as const }),
    })),
    attacks: spec.attacks.map(({ id, name, parameters }) => ({
      ...{ id, name, title: attackTitle(name, parameters) },
    })),
    monitors: spec.monitors.map(({ id, name, sees }) => ({
      ...{ id, name, sees },
      ...(fold.simulatedMonitors.has(id) && { simulated: true as const }),
    })),
    counts: {
      total: sweep.total,
      lines: fold.lines,
      repeats: fold.repeats,
      unreadableLines: fold.unreadableLines,
      outcomes: { ...fold.outcomes },
      crashRestarts: fold.crashRestarts,
      reused: fold.reused,
      deadLetters: redis.deadLetters,
      lateUse: { ...redis.lateUse },
      generators: { ...fold.generators },
      watchers: { ...fold.watchers },
    },
    cost: totalCost(
      [...fold.spending.values()].map((group) => cost(group.spending, ownPricesOf(sweep, group))),
    ),
  };
}

/** Each paired ratio of a long row takes a tenth of a second, or more: there it stops for a moment. */
function* summariseRow(
  sweep: SweepFile,
  row: Row,
  reasoning: SettledReasoning,
): Generator<undefined, SummaryRow> {
  const { target, attack, dataset, arm, monitor } = row.key;
  const runs = row.inOrder();
  const isLabelled = areLabelled(sweep, target);
  const dropped = droppedRuns(runs);
  const amplified: Partial<SummaryRow> = {};
  const monitored = monitor !== undefined;
  if (!isLabelled) Object.assign(amplified, rowShares(runs));
  yield undefined;
  if (!isLabelled && arm !== 'clean') amplified.taf = taf(runs, { reasoning, monitored });
  yield undefined;
  const laf: Partial<SummaryRow> = {};
  if (!isLabelled && arm !== 'clean') laf.lafVsClean = lafVsClean(runs);
  yield undefined;
  if (!isLabelled && arm === 'guarded') laf.lafGuarded = lafGuarded(runs);
  // A simulated latency is told apart from measured ones, wherever it is shown.
  if (sweep.replayed !== undefined && monitored) amplified.replayed = laf;
  else Object.assign(amplified, laf);
  yield undefined;
  if (!isLabelled && arm === 'guarded') amplified.versusAttacked = asr.versusAttacked(runs);
  yield undefined;
  if (!isLabelled && monitored) amplified.tafAtFlag = tafAtFlag(runs, { reasoning });
  if (monitored) Object.assign(amplified, monitorFigures(sweep, row, runs));
  return {
    target,
    attack,
    dataset,
    arm,
    ...(monitored && { monitor }),
    n: row.tally.scored,
    dropped,
    outcomes: { ...row.outcomes },
    ...amplified,
    ...named('firstTokenMs', row.firstTokenMs),
    ...(!isLabelled && named('inFlightAtStart', row.inFlightAtStart)),
    cost: cost(row.spending, pricesOf(sweep, row.key)),
  };
}

function droppedRuns(runs: Iterable<CaseRun>): Record<string, number> {
  const dropped = new DropCounts();
  for (const { run } of runs) {
    const reason = dropReason(run);
    if (reason !== undefined) dropped.add(reason);
  }
  return dropped.counts;
}

function rowShares(runs: Iterable<CaseRun>): Partial<SummaryRow> {
  let [hasTarget, hasBackdoorStep] = [false, false];
  for (const { hitTarget, backdoorStep } of runs) {
    hasTarget ||= hitTarget !== undefined;
    hasBackdoorStep ||= backdoorStep !== undefined;
  }
  return {
    asrWrong: asr.asrWrong(runs),
    ...(hasTarget && { asrTarget: asr.asrTarget(runs) }),
    ...(hasBackdoorStep && { asrStep: asr.asrStep(runs) }),
    hitLimit: asr.hitLimit(runs),
    unanswered: asr.unanswered(runs),
    refused: asr.refused(runs),
    filtered: asr.filtered(runs),
  };
}

function monitorFigures(sweep: SweepFile, row: Row, runs: Iterable<CaseRun>): Partial<SummaryRow> {
  return {
    flagged: flagged(runs),
    ...(sweep.spec.intervention === 'halt' && { interrupted: interrupted(runs) }),
    firstFlagTypes: firstFlagTypes(row),
    detection: row.detection.summarise(runs),
  };
}

function firstFlagTypes({ firstFlagTypes: counts, tally }: Row): NonNullable<SummaryRow['firstFlagTypes']> {
  return Object.fromEntries(
    flagTypes.flatMap((type) => {
      const n = counts.get(type) ?? 0;
      return n === 0 ? [] : [[type, { n, share: n / tally.flagged }]];
    }),
  );
}

/** Puts beside a row what other arms of the same cases say: the clean arm's errors, the monitor's false alarms. */
function withSiblings(row: SummaryRow, rows: readonly SummaryRow[]): SummaryRow {
  const isSibling = (other: SummaryRow) =>
    other.target === row.target && other.attack === row.attack && other.dataset === row.dataset;
  const clean = rows.find((other) => isSibling(other) && other.arm === 'clean');
  const innocent =
    row.monitor === undefined
      ? undefined
      : rows.find(
          (other) => isSibling(other) && other.arm === 'guarded-clean' && other.monitor === row.monitor,
        );
  return {
    ...row,
    ...(row.arm !== 'clean' && clean?.asrWrong && { cleanErrorShare: clean.asrWrong }),
    ...(innocent?.flagged && { falseFlags: innocent.flagged }),
    ...(innocent?.interrupted && { falseInterrupts: innocent.interrupted }),
  };
}

/** By target, attack, data set, then arms in their own order, then monitor. */
function sortedRows(fold: Fold): Row[] {
  const order = ({ key }: Row) =>
    [key.target, key.attack, key.dataset, arms.indexOf(key.arm), key.monitor ?? ''].join('|');
  return [...fold.rows.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
