import type { Price, Prices } from '../schemas/sweep-file.ts';
import { asksModel, type ModelPrices, type SweepSpec } from '../schemas/sweep-spec.ts';

/** What something came to, or may come to. Money in the currency of the prices, 0 where nothing has a price. */
export interface Spend {
  readonly money: number;
  readonly tokens: number;
  readonly runs: number;
}

const PER = 1e6;

/** Money as a whole number of billionths, rounded up: sums of it are exact. */
export function nanoMoney(money: number): number {
  return Math.ceil(money * 1e9);
}

/** The most that one request can cost; 0 without a price. */
export function worstMoney(price: Price | undefined, tokens: { prompt: number; completion: number }): number {
  if (price === undefined) return 0;
  return (tokens.prompt * price.input + tokens.completion * price.output) / PER;
}

/** What calls of a monitor cost; cached tokens are part of those sent in. Undefined without a price. */
export function callMoney(
  price: Price | undefined,
  use: { readonly tokensIn: number; readonly tokensOut: number; readonly tokensCached: number },
): number | undefined {
  if (price === undefined) return undefined;
  const fresh = Math.max(0, use.tokensIn - use.tokensCached);
  const cached = use.tokensCached * (price.cached ?? price.input);
  return (fresh * price.input + cached + use.tokensOut * price.output) / PER;
}

/** The prices of a spec's targets and monitors, by their ids. What is not priced is not in it. */
export function pricesById({ targets, monitors, prices }: SweepSpec): Prices {
  const priced = (id: string, model: string): [string, Price][] => {
    const price = priceOf(prices, model);
    return price === undefined ? [] : [[id, price]];
  };
  return {
    targets: Object.fromEntries(targets.flatMap(({ id, config }) => priced(id, config.model))),
    monitors: Object.fromEntries(
      monitors.flatMap((monitor) => (asksModel(monitor) ? priced(monitor.id, monitor.config.model) : [])),
    ),
  };
}

/** The models of a spec that have no price, each once, in the order of the spec. */
export function unpricedModels({ targets, monitors, prices }: SweepSpec): string[] {
  const asked = [...targets, ...monitors.filter(asksModel)].map(({ config }) => config.model);
  return [...new Set(asked)].filter((model) => priceOf(prices, model) === undefined);
}

function priceOf(prices: ModelPrices, model: string): Price | undefined {
  const price = Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (price === undefined) return undefined;
  const { inputPerMTok: input, outputPerMTok: output, cachedInputPerMTok: cached } = price;
  return { input, output, ...(cached !== undefined && { cached }) };
}
