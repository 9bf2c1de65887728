import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { HaltlineError } from '../../shared/errors.ts';
import { backdoorStepSchema } from '../../shared/schemas/backdoor-step.ts';
import type { AttackSpec } from '../../shared/schemas/sweep-spec.ts';
import { firstIssue } from '../explain-issue.ts';
import type { Attack, AttackCase } from './attack.ts';
import { hashModule } from './hash-module.ts';

const spanSchema = z.object({
  text: z.string(),
  injected: z.boolean(),
  clean: z.exactOptional(z.string()),
  control: z.exactOptional(z.string()),
  part: z.enum(['query', 'context', 'demonstrations', 'frame']),
});

const attackCaseSchema: z.ZodType<AttackCase> = z.object({
  messages: z.array(z.object({ role: z.enum(['system', 'user']), spans: z.array(spanSchema) })).min(1),
  hasControl: z.boolean().default(false),
  asksForSteps: z.boolean(),
  targetAnswer: z.exactOptional(z.string()),
  backdoorStep: z.exactOptional(backdoorStepSchema),
});

const isFunction = (value: unknown): value is (...args: unknown[]) => unknown => typeof value === 'function';

const moduleAttackSchema = z.object({
  name: z.string().min(1),
  summary: z.exactOptional(z.string()),
  parametersSchema: z
    .instanceof(z.ZodType, { error: 'expected a schema of zod' })
    .default(z.strictObject({})),
  render: z.custom<(...args: unknown[]) => unknown>(isFunction, 'expected a function'),
});

export interface LoadedModule {
  readonly attack: Attack;
  /** Of the module and of the files that it imports by relative paths, hex. */
  readonly sha256: string;
}

/**
 * Loads an attack of the user's own: a module (.mjs, .js, .ts) that exports `attack`, an object of `name`,
 * `parametersSchema` (zod; none: no parameters) and `render`, or a function of `{ z }` that makes one, for modules that
 * lie where no zod is found. What it renders is checked, twice: equal arguments must give equal bytes.
 *
 * @param folder - what the relative path starts from
 * @throws HaltlineError DATA_MISSING when there is no such file, SPEC_INVALID when it exports no attack of the entry's
 *   name or has another hash than the entry's; both in one line
 */
export async function loadAttackModule(
  { name, module: path, moduleSha256 }: Pick<AttackSpec, 'name' | 'module' | 'moduleSha256'>,
  folder: string,
): Promise<LoadedModule> {
  const file = resolve(folder, path ?? '');
  const bytes = await readFile(file).catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
    const reason = code === 'ENOENT' ? 'no such file' : code;
    throw new HaltlineError('DATA_MISSING', `attack module ${file}: ${reason}`, { cause });
  });
  const sha256 = await hashModule(file, bytes).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(file, `an imported file cannot be read: ${reason}`, cause);
  });
  if (moduleSha256 !== undefined && moduleSha256 !== sha256)
    throw unusable(file, `its SHA-256 is ${sha256}, expected ${moduleSha256}`);
  const attack = await importAttack(file, sha256);
  if (attack.name !== name) throw unusable(file, `its attack is "${attack.name}", expected "${name}"`);
  return { attack, sha256 };
}

async function importAttack(file: string, sha256: string): Promise<Attack> {
  let exported: unknown;
  try {
    const url = pathToFileURL(file).href;
    const namespace: unknown = file.endsWith('.ts')
      ? await (await import('tsx/esm/api')).tsImport(url, import.meta.url)
      : await import(/* @vite-ignore */ `${url}?sha256=${sha256}`);
    exported = z.object({ attack: z.unknown().optional() }).parse(namespace).attack;
    if (isFunction(exported)) exported = exported({ z });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw unusable(file, `cannot be imported: ${reason.replaceAll(/(?<!\s)\s*\n\s*/g, ' ')}`, cause);
  }
  const parsed = moduleAttackSchema.safeParse(exported);
  if (!parsed.success) throw unusable(file, `export "attack": ${firstIssue(parsed.error)}`, parsed.error);
  const { summary, ...attack } = parsed.data;
  const render: Attack['render'] = (question, parameters, seed) => {
    const once = renderChecked(file, () => attack.render(question, parameters, seed));
    const again = renderChecked(file, () => attack.render(question, parameters, seed));
    if (JSON.stringify(once) === JSON.stringify(again)) return once;
    throw unusable(
      file,
      `question ${question.id} is rendered differently each time; expected a pure function`,
    );
  };
  return { ...attack, ...(summary === undefined ? {} : { summary }), render };
}

function renderChecked(file: string, render: () => unknown): AttackCase {
  let rendered: unknown;
  try {
    rendered = render();
  } catch (cause) {
    throw unusable(file, `render: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const parsed = attackCaseSchema.safeParse(rendered);
  if (parsed.success) return parsed.data;
  throw unusable(file, `render: ${firstIssue(parsed.error)}`, parsed.error);
}

function unusable(file: string, problem: string, cause?: unknown): HaltlineError {
  return new HaltlineError('SPEC_INVALID', `attack module ${file}: ${problem}`, { cause });
}
