import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Environment, readSecret } from '../shared/config.ts';
import { HaltlineError } from '../shared/errors.ts';
import {
  asksModel,
  type MonitorSpec,
  monitorSpecSchema,
  type SweepSpec,
  sweepSpecSchema,
} from '../shared/schemas/sweep-spec.ts';
import { type LoadedModule, loadAttackModule } from './attacks/load-module.ts';
import { findUnfitTarget } from './attacks/check-apis.ts';
import { loadAttackParameters } from './attacks/load-parameters.ts';
import { attackNames, findAttack } from './attacks/registry.ts';
import type { Attack } from './attacks/attack.ts';
import { describeValue, explainIssues, hint } from './explain-issue.ts';
import { withPrices } from './load-prices.ts';
import { formatPath, parseSpecText, specError } from './parse-spec-text.ts';

const MAX_SPEC_BYTES = 1024 * 1024;

/** An attack entry of a spec with its code and its parameters, defaults filled in. */
export interface SpecAttack {
  readonly id: string;
  readonly attack: Attack;
  readonly parameters: unknown;
}

export interface LoadedSpec {
  readonly spec: SweepSpec;
  readonly attacks: readonly SpecAttack[];
  /** Its file, as messages name it. */
  readonly file: string;
  /** The folder that relative data paths start from. */
  readonly folder: string;
}

/**
 * Loads a sweep spec, YAML or JSON by its content, and holds it against everything that can be known without its data
 * and its targets.
 *
 * @throws HaltlineError SPEC_INVALID (one line: file, path, what was given, what was expected), or KEY_UNSET for a
 *   target or monitor whose API key variable is not set
 */
export async function loadSpec(path: string, environment: Environment): Promise<LoadedSpec> {
  const data = parseSpecText(path, await readText(path), environment);
  const folder = dirname(resolve(path));
  const modules = await loadModules(data, folder);
  const checked = checkSpec(path, data, modules);
  const { targets, monitors } = checked.spec;
  for (const [index, { config }] of targets.entries())
    checkKey(path, ['targets', index], config, environment);
  for (const [index, monitor] of monitors.entries()) {
    if (asksModel(monitor)) checkKey(path, ['monitors', index], monitor.config, environment);
  }
  const attacks = await readAttackFiles(checked, folder);
  const spec = await withPrices(path, checked.spec, (file) => readText(resolve(folder, file)));
  return {
    attacks: attacks.map(({ id, attack, given }) => ({
      id,
      attack,
      parameters: attack.parametersSchema.parse(given),
    })),
    // The spec then holds what the files held: a sweep's id covers it, and a sweep resumes without them.
    spec: {
      ...spec,
      attacks: attacks.map(({ entry, given }) => {
        const module = modules.get(entry.id);
        const pinned = module === undefined ? {} : { moduleSha256: module.sha256 };
        return { ...entry, ...pinned, parameters: given };
      }),
      monitors: await readPrompts(path, folder, monitors),
    },
    file: path,
    folder,
  };
}

/**
 * A spec as a sweep's folder has it, with its attacks. What its files held stands in it: of them only modules are read.
 *
 * @param file - the name that messages begin with
 * @throws HaltlineError SPEC_INVALID, DATA_MISSING
 */
export async function loadStoredSpec(
  file: string,
  spec: SweepSpec,
  folder: string,
): Promise<Pick<LoadedSpec, 'spec' | 'attacks'>> {
  return checkSpec(file, spec, await loadModules(spec, folder));
}

/** The attacks of the user's own, by the ids of their entries. A spec that does not fit its schema loads none. */
async function loadModules(data: unknown, folder: string): Promise<ReadonlyMap<string, LoadedModule>> {
  const modules = new Map<string, LoadedModule>();
  for (const entry of sweepSpecSchema.safeParse(data).data?.attacks ?? []) {
    if (entry.module !== undefined) modules.set(entry.id, await loadAttackModule(entry, folder));
  }
  return modules;
}

/** Each attack entry with the parameters as given, files of demonstrations and wrong answers read into them. */
async function readAttackFiles({ spec, attacks }: Pick<LoadedSpec, 'spec' | 'attacks'>, folder: string) {
  const read = spec.attacks.map(async (entry, index) => {
    const attack = attacks[index]?.attack;
    const given = await loadAttackParameters(entry.parameters, folder);
    return attack === undefined ? [] : [{ id: entry.id, entry, attack, given }];
  });
  return (await Promise.all(read)).flat();
}

/**
 * Holds data against the schema of specs, and each attack's parameters against that attack's own.
 *
 * @param file - the name that messages begin with
 * @param modules - attacks of the user's own, by the ids of their entries
 * @throws HaltlineError SPEC_INVALID
 */
export function checkSpec(
  file: string,
  data: unknown,
  modules: ReadonlyMap<string, LoadedModule> = new Map(),
): Pick<LoadedSpec, 'spec' | 'attacks'> {
  const parsed = sweepSpecSchema.safeParse(data);
  if (!parsed.success) {
    throw specError(
      file,
      explainIssues(parsed.error.issues, { value: data, schema: sweepSpecSchema, at: [] }),
      parsed.error,
    );
  }
  const spec = parsed.data;
  const attacks = spec.attacks.map(({ id, name, parameters }, index) => {
    const attack = modules.get(id)?.attack ?? findAttack(name);
    if (!attack) {
      const path = formatPath(['attacks', index, 'name']);
      throw specError(file, `${path}: got ${describeValue(name)}, expected ${hint(name, attackNames)}`);
    }
    const own = attack.parametersSchema.safeParse(parameters);
    if (own.success) return { id, attack, parameters: own.data };
    const subject = {
      value: parameters,
      schema: attack.parametersSchema,
      at: ['attacks', index, 'parameters'],
    };
    throw specError(file, explainIssues(own.error.issues, subject), own.error);
  });
  const unfit = findUnfitTarget(attacks, spec.targets);
  if (unfit) throw specError(file, `${formatPath(unfit.path)}: ${unfit.complaint}`);
  return { spec, attacks };
}

function checkKey(
  file: string,
  entry: readonly (string | number)[],
  { apiKeyEnv }: { readonly apiKeyEnv?: string },
  environment: Environment,
): void {
  if (apiKeyEnv === undefined) return;
  try {
    readSecret(environment, apiKeyEnv);
  } catch (error) {
    if (!(error instanceof HaltlineError)) throw error;
    const path = formatPath([...entry, 'config', 'apiKeyEnv']);
    throw new HaltlineError('KEY_UNSET', `${file}: ${path}: ${error.message}`, { cause: error });
  }
}

/** Puts the prompts that monitors name by a file into the spec: workers do not have the file. */
async function readPrompts(
  file: string,
  folder: string,
  monitors: readonly MonitorSpec[],
): Promise<MonitorSpec[]> {
  return Promise.all(
    monitors.map(async (monitor, index) => {
      if (!asksModel(monitor) || monitor.promptFile === undefined) return monitor;
      const parsed = monitorSpecSchema.safeParse({
        ...monitor,
        prompt: await readText(resolve(folder, monitor.promptFile)),
      });
      if (parsed.success) return parsed.data;
      const path = formatPath(['monitors', index, 'promptFile']);
      throw specError(
        file,
        `${path}: ${monitor.promptFile}: ${parsed.error.issues[0]?.message ?? 'unusable'}`,
      );
    }),
  );
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  if (bytes.length > MAX_SPEC_BYTES) throw specError(path, 'larger than 1 MiB, expected a sweep spec');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw specError(path, 'not UTF-8 text, expected a sweep spec in YAML or JSON', cause);
  }
}

/** At most one byte more than allowed: what is larger (or endless, as a device is) is not read whole. */
async function readBytes(path: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const buffer = Buffer.alloc(MAX_SPEC_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw specError(path, `${unreadable[code] ?? code}, expected a sweep spec in YAML or JSON`, cause);
  } finally {
    await file?.close();
  }
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
};
