import { unpricedModels } from '../shared/core/spend.ts';
import { type ModelPrices, modelPricesSchema, type SweepSpec } from '../shared/schemas/sweep-spec.ts';
import { explainIssues } from './explain-issue.ts';
import { parseSpecText, specError } from './parse-spec-text.ts';

/**
 * Puts the prices of a spec's file into the spec: workers do not have the file. A price that the spec itself names wins.
 *
 * @param file - the spec's file, for messages
 * @param readFile - reads a file that the spec names
 * @throws HaltlineError SPEC_INVALID: an unusable file of prices, or a spend cap over a model that has no price
 */
export async function withPrices(
  file: string,
  spec: SweepSpec,
  readFile: (path: string) => Promise<string>,
): Promise<SweepSpec> {
  const { pricesFile } = spec;
  const read = pricesFile === undefined ? {} : parsePrices(pricesFile, await readFile(pricesFile));
  const priced = { ...spec, prices: { ...read, ...spec.prices } };
  const [unpriced] = unpricedModels(priced);
  if (spec.limits.maxCost !== undefined && unpriced !== undefined) {
    const missing = `no price for the model ${JSON.stringify(unpriced)}`;
    throw specError(file, `limits.maxCost: ${missing}, expected one in prices or pricesFile`);
  }
  return priced;
}

function parsePrices(file: string, text: string): ModelPrices {
  const data = parseSpecText(file, text, {});
  const parsed = modelPricesSchema.safeParse(data);
  if (parsed.success) return parsed.data;
  const subject = { value: data, schema: modelPricesSchema, at: [] };
  throw specError(file, explainIssues(parsed.error.issues, subject), parsed.error);
}
