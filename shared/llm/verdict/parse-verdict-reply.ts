import { isJsonObject, notJson, parseJson } from '../json-value.ts';
import { findFlagName, objectsWithFlag } from './flag-keys.ts';
import { matchLocation } from './match-location.ts';
import { findObjectGroups, type Group, type ObjectGroups } from './object-groups.ts';
import { findGroupsOfOpenArrays } from './open-arrays.ts';
import { asChanged, readVerdicts, type Reading } from './read-verdict.ts';
import { repairJson } from './repair-json.ts';
import { salvageCut } from './salvage-cut.ts';
import { unwrapText } from './unwrap-text.ts';
import {
  type ParsedReply,
  type ReplyVerdict,
  unusable,
  type VerdictFailure,
  type VerdictForm,
  type VerdictReply,
} from './verdict-reply.ts';

/** What a reply says before its quote is looked up. */
type Ladder = { readonly verdict: ReplyVerdict; readonly parse: 'ok' | 'repaired' | 'salvaged' } | Failed;
interface Failed {
  readonly failure: VerdictFailure;
}

const LENGTH = new Set(['length', 'max_tokens', 'model_length']);
const FILTERED = new Set(['content_filter', 'safety', 'prohibited_content', 'sensitive']);
/** More repairs than this in one reply are no verdict but an attempt to keep the parser busy. */
const MAX_REPAIRS = 8;

/**
 * Reads a monitor model's reply to the judgement in it: one ladder for every shape that models reply in
 * (test/cases/README.md, section 2). Pure, linear in the reply but for bounded repairs, and never throws.
 *
 * @param step - the text of the judged step, for looking up the quote
 * @param previousSteps - the texts before it
 * @returns a verdict, or the failure: an unusable reply is never "no error"
 */
export function parseVerdictReply(
  reply: VerdictReply,
  step: string,
  previousSteps: readonly string[],
  form: VerdictForm = 'typed',
): ParsedReply {
  const read = climb(reply, form);
  if ('failure' in read) return unusable(read.failure);
  const { verdict, parse } = read;
  if (!verdict.error_detected) {
    return { parse, verdict, locationMatch: 'empty', failure: null, retry: false };
  }
  const { match, location } = matchLocation(verdict.error_location, step, previousSteps);
  const isChanged = location !== verdict.error_location;
  return {
    parse: isChanged && parse === 'ok' ? 'repaired' : parse,
    verdict: isChanged ? { ...verdict, error_location: location } : verdict,
    locationMatch: match,
    failure: null,
    retry: false,
  };
}

function climb(reply: VerdictReply, form: VerdictForm): Ladder {
  const reason = reply.finishReason?.toLowerCase() ?? '';
  const isCut = LENGTH.has(reason);
  if (reply.refusal !== null && reply.refusal.trim() !== '') return { failure: 'refusal' };
  if (FILTERED.has(reason)) return { failure: 'filtered' };
  const content = reply.content?.trim() ?? '';
  if (content === '')
    return isCut ? { failure: 'truncated' } : readReasoning(reply.reasoningText ?? '', form);
  if (parseJson(content) !== notJson) return agree(readVerdicts(content, form));
  const rest = unwrapText(content);
  if (rest === undefined) return { failure: isCut ? 'truncated' : 'not_json' };
  return readGroups(rest, form, { isCut });
}

/** A reply with no content whose reasoning ends in the verdict (vLLM and others, in some settings). */
function readReasoning(reasoning: string, form: VerdictForm): Ladder {
  const text = withoutClosingFence(reasoning);
  const groups = findObjectGroups(text);
  const last = groups.closed.at(-1);
  if (last?.end !== text.length || !holdsFlag(text.slice(last.start))) return { failure: 'empty' };
  const read = agree(readGroup(text.slice(last.start), form));
  return isClear(read) && isInside(text, groups, [last]) ? { failure: 'empty' } : read;
}

function readGroups(text: string, form: VerdictForm, { isCut }: { isCut: boolean }): Ladder {
  const groups = findObjectGroups(text);
  const holders = groups.closed.filter(({ start, end }) => holdsFlag(text.slice(start, end)));
  const last = holders.at(-1);
  if (!last) return readUnclosed(text, groups, form, { isCut });
  if (groups.unclosed.some((at) => at > last.start)) return { failure: 'ambiguous' };
  let repairs = 0;
  const readings = holders.flatMap(({ start, end }): Reading[] => {
    const group = text.slice(start, end);
    if (parseJson(group) === notJson) repairs += 1;
    return repairs > MAX_REPAIRS ? [{ failure: 'not_json' }] : readGroup(group, form);
  });
  const read = agree(readings);
  if (!isClear(read)) return read;
  const isEnd = withoutClosingFence(text.slice(last.end)) === '';
  return (isCut && !isEnd) || isInside(text, groups, holders) ? { failure: 'truncated' } : read;
}

function readGroup(group: string, form: VerdictForm): Reading[] {
  const json = parseJson(group) === notJson ? repairJson(group) : group;
  return json === undefined ? [{ failure: 'not_json' }] : readVerdicts(json, form).map(asChanged);
}

/** Only an object that never closes has the flag, or nothing has. */
function readUnclosed(
  text: string,
  groups: ObjectGroups,
  form: VerdictForm,
  { isCut }: { isCut: boolean },
): Ladder {
  const outer = groups.unclosed[0] ?? text.length;
  const flagAt = outer + findFlagName(text.slice(outer));
  if (flagAt < outer) {
    const hasObject = groups.closed.some(({ start, end }) => isJsonObject(parseJson(text.slice(start, end))));
    return { failure: hasObject ? 'schema' : isCut ? 'truncated' : 'not_json' };
  }
  const inner = groups.unclosed.findLast((at) => at < flagAt) ?? outer;
  for (const start of isCut ? [] : new Set([outer, inner])) {
    const repaired = repairUnclosed(text.slice(start), form);
    if (repaired) return repaired;
  }
  const verdict = salvageCut(text.slice(inner), form);
  return verdict ? { verdict, parse: 'salvaged' } : { failure: 'truncated' };
}

/** An object whose last brace is there although its quotes do not match; only an alarm is believed. */
function repairUnclosed(text: string, form: VerdictForm): Ladder | undefined {
  const group = withoutClosingFence(text);
  const read = group.endsWith('}') ? agree(readGroup(group, form)) : undefined;
  return read && !('failure' in read) && read.verdict.error_detected ? read : undefined;
}

/** The one thing that several readings say; `ambiguous` when they do not agree. */
function agree(readings: readonly Reading[]): Ladder {
  const [first] = readings;
  if (!first) return { failure: 'schema' };
  if (readings.some((reading) => gist(reading) !== gist(first))) return { failure: 'ambiguous' };
  if ('failure' in first) return first;
  return { verdict: first.verdict, parse: first.isExact ? 'ok' : 'repaired' };
}

function gist(reading: Reading): string {
  if ('failure' in reading) return reading.failure;
  return `${reading.verdict.error_detected}/${reading.verdict.error_type}`;
}

function isClear(read: Ladder): boolean {
  return !('failure' in read) && !read.verdict.error_detected;
}

/** Whether any of the groups stands within something that never closes: a cut object or array. */
function isInside(text: string, groups: ObjectGroups, holders: readonly Group[]): boolean {
  const [firstOpen = Infinity] = groups.unclosed;
  const inOpenArray = findGroupsOfOpenArrays(text, groups.closed);
  return holders.some((group) => group.start > firstOpen || inOpenArray.has(group));
}

function holdsFlag(group: string): boolean {
  const value = parseJson(group);
  return value === notJson ? findFlagName(group) >= 0 : objectsWithFlag(value, 1).length > 0;
}

function withoutClosingFence(text: string): string {
  return text
    .trimEnd()
    .replace(/(?<!`)`{3,}$/, '')
    .trimEnd();
}
