import { notJson, parseJson, type JsonObject } from '../json-value.ts';
import { parseConfidence } from './confidence.ts';
import { isCanonicalLabel, parseErrorLabel, plain } from './error-label.ts';
import { isFlagKey, objectsWithFlag, spreadFlagKeys } from './flag-keys.ts';
import type { ReplyVerdict, VerdictFailure, VerdictForm } from './verdict-reply.ts';

/** A verdict before its quote is looked up; `isExact`: nothing had to be changed. */
export type Reading =
  { readonly verdict: ReplyVerdict; readonly isExact: boolean } | { readonly failure: VerdictFailure };

const MAX_STRINGS_AROUND = 8;

/**
 * What a JSON value says (test/cases/README.md, 2.3). Several readings when it is an array of verdicts.
 *
 * @param json - a text that `JSON.parse` takes
 */
export function readVerdicts(json: string, form: VerdictForm): Reading[] {
  const value = unwrapStrings(parseJson(spreadFlagKeys(json)));
  if (Array.isArray(value)) {
    const elements = value.filter((element) => objectsWithFlag(element, 1).length > 0);
    const readings = elements.map((element) => asChanged(readObject(element, form)));
    return readings.length === 0 ? [{ failure: 'schema' }] : readings;
  }
  const reading = readObject(value, form);
  return [json.startsWith('{') ? reading : asChanged(reading)];
}

/** A reading that went through a repair or a wrapper. */
export function asChanged(reading: Reading): Reading {
  return 'failure' in reading ? reading : { ...reading, isExact: false };
}

function unwrapStrings(value: unknown): unknown {
  let current = value;
  for (let depth = 0; typeof current === 'string' && depth < MAX_STRINGS_AROUND; depth += 1) {
    const json = current.trim();
    current = parseJson(json) === notJson ? notJson : parseJson(spreadFlagKeys(json));
  }
  return current;
}

function readObject(value: unknown, form: VerdictForm): Reading {
  const [object, another] = objectsWithFlag(value, 2);
  if (object === undefined) return { failure: 'schema' };
  if (object === value) return readFields(object, form);
  return another === undefined ? asChanged(readFields(object, form)) : { failure: 'schema' };
}

function readFields(object: JsonObject, form: VerdictForm): Reading {
  const flag = readFlag(object);
  if (typeof flag !== 'boolean') return { failure: flag };
  const location = readText(member(object, 'errorlocation'));
  const explanation = readText(member(object, 'errorexplanation'));
  if (location === undefined || explanation === undefined) return { failure: 'schema' };
  const type = form === 'binary' ? undefined : member(object, 'errortype');
  const label = type === undefined ? 'UNKNOWN' : parseErrorLabel(type);
  if (flag ? label === 'NO_ERROR' : label !== 'NO_ERROR' && label !== 'UNKNOWN') {
    return { failure: 'contradiction' };
  }
  const verdict: ReplyVerdict = {
    error_detected: flag,
    error_type: flag ? label : 'NO_ERROR',
    confidence: parseConfidence(member(object, 'confidence')),
    error_location: flag ? location : '',
    error_explanation: flag ? explanation : '',
  };
  return { verdict, isExact: isExact(object, verdict, form) };
}

function readFlag(object: JsonObject): boolean | VerdictFailure {
  const flags = Object.entries(object)
    .filter(([key]) => isFlagKey(key))
    .map(([, value]) => parseFlag(value));
  const [first] = flags;
  if (flags.some((flag) => flag !== first)) return 'ambiguous';
  return first ?? 'schema';
}

function parseFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

/** The last member of that name, as with equal keys in JSON. */
function member(object: JsonObject, name: string): unknown {
  return Object.entries(object).findLast(([key]) => plain(key) === name)?.[1];
}

function readText(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : undefined;
}

function isExact(object: JsonObject, verdict: ReplyVerdict, form: VerdictForm): boolean {
  const { error_type: type, ...others } = verdict;
  const fields = form === 'binary' ? others : { ...others, error_type: type };
  const isLabelExact = form === 'binary' || isCanonicalLabel(object['error_type']);
  return (
    isLabelExact &&
    verdict.confidence !== null &&
    Object.keys(object).length === Object.keys(fields).length &&
    Object.entries(fields).every(([key, value]) => object[key] === value)
  );
}
