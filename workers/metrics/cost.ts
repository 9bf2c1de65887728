import { callMoney, pricesById, type Spend } from '../../shared/core/spend.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import type { Price, SweepFile } from '../../shared/schemas/sweep-file.ts';
import type { Cost } from '../../shared/schemas/summary.ts';
import { areLabelled } from './recorded-targets.ts';

/** What runs spent, without prices: sums of the tokens in their lines. */
export class Spending {
  runs = 0;
  withoutUsage = 0;
  readonly target = { prompt: 0, completion: 0, wasted: 0, wastedPrompt: 0 };
  limitWaitMs = 0;
  retries = 0;
  readonly monitor = { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 };

  add(line: RunLine): void {
    const { usage, tokens, timing, monitorUse } = line;
    const { epoch } = line.replayed ?? line;
    const localTokens = tokens.reasoning + tokens.answer + tokens.content;
    this.runs += 1;
    if (usage?.promptTokens == null || usage.completionTokens === null) this.withoutUsage += 1;
    const prompt = usage?.promptTokens ?? line.promptEstimate ?? 0;
    this.target.prompt += prompt;
    // An epoch that was given up may have died before it asked: its prompt counts as sent, as the dearer of the two.
    this.target.wastedPrompt += (epoch - 1) * prompt;
    this.limitWaitMs += timing.limitWaitMs;
    this.retries += timing.retries;
    this.target.completion += usage?.completionTokens ?? localTokens;
    this.target.wasted += tokens.wasted;
    this.monitor.calls += monitorUse.calls;
    this.monitor.tokensIn += monitorUse.tokensIn;
    this.monitor.tokensOut += monitorUse.tokensOut;
    this.monitor.tokensCached += monitorUse.tokensCached;
  }
}

/** Of a target `unasked` nothing is counted: what it would have cost is not what was paid. */
export interface RunPrices {
  readonly target: Price | undefined | 'unasked';
  readonly monitor: Price | undefined;
}

/**
 * Tokens and money of a row, of target and monitor apart and together. Money that rests on a missing price is absent;
 * a monitor that makes no calls costs nothing.
 */
export function cost(spent: Spending, prices: RunPrices): Cost {
  const isAsked = prices.target !== 'unasked';
  const target = prices.target === 'unasked' ? 0 : targetMoney(spent, prices.target);
  const monitor = spent.monitor.calls === 0 ? 0 : callMoney(prices.monitor, spent.monitor);
  return {
    runs: spent.runs,
    withoutUsage: isAsked ? spent.withoutUsage : 0,
    ...(isAsked && { target: { ...spent.target, ...(target !== undefined && { money: target }) } }),
    monitor: { ...spent.monitor, ...(monitor !== undefined && { money: monitor }) },
    ...(target !== undefined && monitor !== undefined && { money: target + monitor }),
  };
}

/** Costs added up; money only where every part has it. */
export function totalCost(parts: readonly Cost[]): Cost {
  const targets = parts.flatMap(({ target }) => target ?? []);
  const sumOfTargets = (pick: (part: NonNullable<Cost['target']>) => number) =>
    targets.reduce((total, part) => total + pick(part), 0);
  const sum = (pick: (part: Cost) => number) => parts.reduce((total, part) => total + pick(part), 0);
  const money = (pick: (part: Cost) => number | undefined) =>
    parts.length > 0 && parts.every((part) => pick(part) !== undefined)
      ? { money: sum((part) => pick(part) ?? 0) }
      : {};
  return {
    runs: sum((part) => part.runs),
    withoutUsage: sum((part) => part.withoutUsage),
    // Before its first run a sweep has asked nothing yet, and may still.
    ...((targets.length > 0 || parts.length === 0) && {
      target: {
        prompt: sumOfTargets(({ prompt }) => prompt),
        completion: sumOfTargets(({ completion }) => completion),
        wasted: sumOfTargets(({ wasted }) => wasted),
        wastedPrompt: sumOfTargets(({ wastedPrompt }) => wastedPrompt),
        ...money(({ target }) => (target === undefined ? 0 : target.money)),
      },
    }),
    monitor: {
      calls: sum((part) => part.monitor.calls),
      tokensIn: sum((part) => part.monitor.tokensIn),
      tokensOut: sum((part) => part.monitor.tokensOut),
      tokensCached: sum((part) => part.monitor.tokensCached),
      ...money((part) => part.monitor.money),
    },
    ...money((part) => part.money),
  };
}

function targetMoney({ target }: Spending, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined;
  const [sent, received] = [target.prompt + target.wastedPrompt, target.completion + target.wasted];
  return (sent * price.input + received * price.output) / 1e6;
}

/**
 * The prices that a sweep's file names, and where it names none, those of its spec. Where chains are judged again, the
 * targets are not asked: their prices serve what runs came to when they were recorded, or would have come to.
 */
export function pricesOf(
  file: SweepFile,
  { target, monitor }: { target: string; monitor: string | undefined },
): RunPrices {
  const { spec, prices } = file;
  const own = pricesById(spec);
  return {
    target: areLabelled(file, target) ? 'unasked' : (prices?.targets[target] ?? own.targets[target]),
    monitor: monitor === undefined ? undefined : (prices?.monitors[monitor] ?? own.monitors[monitor]),
  };
}

/** Prices for what a sweep pays itself. */
export function ownPricesOf(
  file: SweepFile,
  key: { target: string; monitor: string | undefined },
): RunPrices {
  const prices = pricesOf(file, key);
  return file.replayed === undefined ? prices : { ...prices, target: 'unasked' };
}

/** What runs came to, for the caps: tokens of all kinds, and the money of what has a price. */
export function spentOf(sweep: SweepFile, groups: Iterable<SpendingGroup>): Spend {
  let [money, tokens, runs] = [0, 0, 0];
  for (const group of groups) {
    const { target, monitor, runs: count } = cost(group.spending, ownPricesOf(sweep, group));
    money += (target?.money ?? 0) + (monitor.money ?? 0);
    if (target) tokens += target.prompt + target.completion + target.wasted + target.wastedPrompt;
    tokens += monitor.tokensIn + monitor.tokensOut;
    runs += count;
  }
  return { money, tokens, runs };
}

/** What the runs of one target under one monitor (or none) spent. */
export interface SpendingGroup {
  readonly target: string;
  readonly monitor: string | undefined;
  readonly spending: Spending;
}
