import { parseDocument } from 'yaml';
import { HaltlineError } from '../shared/errors.ts';

/** Aliases may blow a small file up to gigabytes ("billion laughs"); no honest spec comes near this many. */
const MAX_ALIASES = 100;
const MAX_DEPTH = 40;
/** Member names that reach into an object's prototype where data is merged carelessly. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** A place within a spec: member names and list indexes, outermost first. */
export type SpecPath = readonly (string | number)[];

/** `['targets', 0, 'config']` is written `targets[0].config`; the spec itself, `(top level)`. */
export function formatPath(path: SpecPath): string {
  const text = path
    .map((part) =>
      typeof part === 'number' ? `[${String(part)}]` : /^[\w-]+$/.test(part) ? `.${part}` : `["${part}"]`,
    )
    .join('')
    .replace(/^\./, '');
  return text === '' ? '(top level)' : text;
}

/** The error of one place in a spec, in one line. */
export function specError(file: string, problem: string, cause?: unknown): HaltlineError {
  return new HaltlineError('SPEC_INVALID', `${file}: ${problem.replace(/\s+/g, ' ')}`, { cause });
}

/**
 * Reads a spec's text, JSON or YAML by its content, and puts environment values in place of `${NAME}` in strings
 * (`$${NAME}` stands for `${NAME}` itself; member names are left alone).
 *
 * @param file - the file's name, for messages
 * @returns plain data, not yet held against the schema
 * @throws HaltlineError SPEC_INVALID: not YAML (with line and column), a member name that reaches into prototypes, or
 *   a variable that is not set (with its path)
 */
export function parseSpecText(
  file: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): unknown {
  return copyData(parseJson(text) ?? parseYaml(file, text), [], { file, environment });
}

function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined; // YAML's flow style looks like JSON, and YAML's complaint names line and column
  }
}

function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true, stringKeys: true, merge: false });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem) {
    const [message = problem.message] = problem.message.split(/(?: at line \d+, column \d+)?:?\n/);
    const at = problem.linePos?.[0];
    throw specError(
      file,
      `${at ? `line ${String(at.line)}, column ${String(at.col)}: ` : ''}${message}`,
      problem,
    );
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return value;
  } catch (cause) {
    throw specError(file, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

interface Copying {
  readonly file: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

function copyData(value: unknown, path: SpecPath, copying: Copying): unknown {
  if (path.length > MAX_DEPTH)
    throw specError(copying.file, `${formatPath(path)}: nested deeper than ${String(MAX_DEPTH)}`);
  if (typeof value === 'string') return interpolate(value, path, copying);
  if (Array.isArray(value)) return value.map((item, index) => copyData(item, [...path, index], copying));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const at = [...path, key];
      if (forbiddenKeys.has(key))
        throw specError(copying.file, `${formatPath(at)}: a member may not be named so`);
      return [key, copyData(member, at, copying)];
    }),
  );
}

function interpolate(text: string, path: SpecPath, { file, environment }: Copying): string {
  return text.replace(/(\$?)\$\{([^}]*)\}/g, (whole, escape: string, name: string) => {
    if (escape !== '') return whole.slice(1);
    const value = environment[name];
    if (value !== undefined && value !== '') return value;
    throw specError(
      file,
      `${formatPath(path)}: got \${${name}}, expected a variable that is set in the environment`,
    );
  });
}
