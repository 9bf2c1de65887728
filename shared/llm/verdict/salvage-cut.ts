import { errorCodes } from '../../core/taxonomy.ts';
import { notJson, parseJson } from '../json-value.ts';
import { parseConfidence } from './confidence.ts';
import { parseErrorLabel, plain } from './error-label.ts';
import { isFlagKey } from './flag-keys.ts';
import { escapeBackslashes } from './repair-json.ts';
import type { ReplyVerdict, VerdictForm } from './verdict-reply.ts';

/** A member of the object that was cut: its raw value, and whether a comma shows that the value is whole. */
interface CutMember {
  readonly raw: string;
  readonly isString: boolean;
  readonly isWhole: boolean;
  readonly hasComma: boolean;
}

/**
 * The alarm in an object that was cut off, if its flag and its type had been written out (test/cases/README.md, 2.4).
 * Stopping is the safe side; a cut "no error" is never one.
 *
 * @param text - from the object's `{`, possibly that of a wrapper
 */
export function salvageCut(text: string, form: VerdictForm): ReplyVerdict | undefined {
  const members = readCutObject(text);
  const flag = [...members].filter(([key]) => isFlagKey(key)).map(([, value]) => value);
  if (flag.length !== 1 || flag[0]?.raw !== 'true' || flag[0].isString || !flag[0].hasComma) return undefined;
  const byName = new Map([...members].map(([key, value]) => [plain(key), value]));
  const label = byName.get('errortype');
  const type = label?.isString === true && label.isWhole ? parseErrorLabel(unescape(label.raw)) : 'UNKNOWN';
  if (form === 'typed' && !errorCodes.some((code) => code === type)) return undefined;
  const confidence = byName.get('confidence');
  const location = byName.get('errorlocation');
  return {
    error_detected: true,
    error_type: form === 'typed' ? type : 'UNKNOWN',
    confidence: confidence?.hasComma === true ? parseConfidence(scalarOf(confidence)) : null,
    error_location: location?.isString === true ? unescape(location.raw) : '',
    error_explanation: '',
  };
}

const token =
  /\s*(?:"(?<text>[^"\\]*(?:\\.[^"\\]*)*)"|"(?<cutText>[^"\\]*(?:\\.[^"\\]*)*\\?)$|(?<mark>[{}[\],:])|(?<word>[^\s{}[\],:"]+))/suy;

interface OpenObject {
  readonly members: Map<string, CutMember>;
  /** Of the member that is being read. */
  key: string | undefined;
  isAfterColon: boolean;
}

/** The members of the innermost open object that holds the flag; none where the text stops looking like JSON first. */
function readCutObject(text: string): ReadonlyMap<string, CutMember> {
  const open: OpenObject[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(text); match?.groups; match = token.exec(text)) {
    const { text: whole, cutText, mark, word } = match.groups;
    const current = open.at(-1);
    if (mark === '{') open.push({ members: new Map(), key: undefined, isAfterColon: false });
    else if (mark === '}') open.pop();
    else if (!current) break;
    else if (mark !== undefined) passMark(current, mark);
    else if (!readValue(current, { whole, cutText, word })) break;
  }
  return open.findLast(({ members }) => [...members.keys()].some(isFlagKey))?.members ?? new Map();
}

function passMark(current: OpenObject, mark: string): void {
  if (mark === ':') current.isAfterColon = true;
  if (mark !== ',') return;
  const last = current.key === undefined ? undefined : current.members.get(current.key);
  if (current.key !== undefined && last) current.members.set(current.key, { ...last, hasComma: true });
  current.key = undefined;
  current.isAfterColon = false;
}

type Value = Readonly<Record<'whole' | 'cutText' | 'word', string | undefined>>;

/** @returns whether it could stand here */
function readValue(current: OpenObject, { whole, cutText, word }: Value): boolean {
  const raw = whole ?? cutText ?? word ?? '';
  if (!current.isAfterColon) {
    if (current.key !== undefined || whole === undefined) return false;
    current.key = unescape(whole);
    return true;
  }
  if (current.key === undefined || current.members.has(current.key)) return false;
  const isString = word === undefined;
  current.members.set(current.key, { raw, isString, isWhole: cutText === undefined, hasComma: false });
  return true;
}

function scalarOf({ raw, isString }: CutMember): unknown {
  if (isString) return unescape(raw);
  const value = parseJson(raw);
  return value === notJson ? null : value;
}

/** JSON escapes undone; what is none stays, but for a lone backslash at the end. */
function unescape(raw: string): string {
  let end = raw.length;
  while (raw.charAt(end - 1) === '\\') end -= 1;
  const isLone = (raw.length - end) % 2 === 1;
  const whole = isLone ? raw.slice(0, -1) : raw;
  const escaped = escapeBackslashes(whole).replace(/\p{Cc}/gu, (unit) => JSON.stringify(unit).slice(1, -1));
  const value = parseJson(`"${escaped}"`);
  return typeof value === 'string' ? value : whole;
}
