import { attackNames, findAttack } from '../../producers/attacks/registry.ts';
import { publicSets } from '../../producers/datasets/addresses.ts';
import { builtInDatasets, builtInPath, loadQuestions } from '../../producers/datasets/load-questions.ts';
import { describeParameters, type ParameterDescription } from '../../producers/describe-parameters.ts';
import { clip, terminalText } from '../../shared/core/terminal-text.ts';
import { monitorSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import type { ListKind } from './list.ts';

/** One line of a list. `parameters` is empty where there are none to set. */
export interface Listed {
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly ParameterDescription[];
}

const monitorSummaries: Readonly<Record<string, string>> = {
  rules: 'deterministic rules; asks no model',
  llm: 'a model judges each step by the taxonomy',
  cascade: 'the rules first; a model judges what they passed',
  vanilla: 'baseline: a model judges each step without the taxonomy',
  lcm: 'baseline: a model judges whether the step is factually consistent',
  prm: 'baseline: a process reward model scores each step',
};

const listers: Readonly<Record<ListKind, () => Promise<Listed[]>>> = {
  attacks: () =>
    Promise.resolve(
      attackNames.flatMap((name) => {
        const attack = findAttack(name);
        if (attack === undefined) return [];
        return [
          { name, summary: attack.summary ?? '', parameters: describeParameters(attack.parametersSchema) },
        ];
      }),
    ),
  monitors: () => Promise.resolve(monitorSpecSchema.options.flatMap(listMonitors)),
  datasets: async () => [
    ...(await Promise.all(builtInDatasets.map(listBuiltIn))),
    ...publicSets.map(({ name, description, licence, url }) => ({
      name,
      summary: `${description} (${licence}): \`haltline dataset fetch ${name}\`, from ${url}`,
      parameters: [],
    })),
  ],
};

/** Prints what a spec can name. */
export async function list(kind: ListKind, { json }: { json: boolean }): Promise<void> {
  const listed = await listers[kind]();
  process.stdout.write(json ? `${JSON.stringify(listed, null, 2)}\n` : listed.map(describeListed).join(''));
}

function listMonitors(option: (typeof monitorSpecSchema.options)[number]): Listed[] {
  const named = describeParameters(option);
  const names = named.find(({ name }) => name === 'name')?.type.split(' | ') ?? [];
  const parameters = named.filter(({ name }) => name !== 'id' && name !== 'name');
  return names.map((name) => ({ name, summary: monitorSummaries[name] ?? '', parameters }));
}

async function listBuiltIn(name: string): Promise<Listed> {
  const { questions } = await loadQuestions(builtInPath(name), { seed: '' });
  return { name, summary: `built in, ${String(questions.length)} questions`, parameters: [] };
}

function describeListed({ name, summary, parameters }: Listed): string {
  const lines = parameters.map((parameter) => `    ${describeParameter(parameter)}\n`);
  return `${name.padEnd(14)} ${summary}\n${lines.join('')}`;
}

function describeParameter({ name, type, isRequired, description, ...rest }: ParameterDescription): string {
  const initial = isRequired
    ? ', required'
    : rest.default === undefined
      ? ''
      : `, default ${clip(terminalText(JSON.stringify(rest.default)), 60)}`;
  return `${name} (${type}${initial})${description === '' ? '' : `: ${description}`}`;
}
