import { parse } from 'yaml';
import type { Attack, AttackCase } from '../../producers/attacks/attack.ts';
import { loadAttackModule } from '../../producers/attacks/load-module.ts';
import { attackNames, findAttack } from '../../producers/attacks/registry.ts';
import { type Condition, renderMessages, renderViews, spanText } from '../../producers/attacks/spans.ts';
import { hint } from '../../producers/explain-issue.ts';
import { terminalLines } from '../../shared/core/terminal-text.ts';
import { HaltlineError } from '../../shared/errors.ts';
import type { Problem } from '../../shared/schemas/problem.ts';
import { type Question, questionSchema } from '../../shared/schemas/question.ts';
import { checkOptions } from '../check-options.ts';
import { openSession } from '../session.ts';

export interface ShowAttackFlags {
  readonly question: string;
  readonly answer?: string;
  readonly choices?: readonly string[];
  readonly context?: string;
  readonly param?: readonly string[];
  readonly module?: string;
  readonly seed: string;
  readonly condition?: Condition;
  readonly json: boolean;
}

/** How injected text is told from the rest. */
type Mark = (text: string) => string;

/** Prints one question under one attack. @throws HaltlineError CONFIG_INVALID, and what a module of one's own throws */
export async function showAttack(name: string, flags: ShowAttackFlags): Promise<void> {
  const { config } = openSession('show', { quiet: true });
  const attack = await loadAttack(name, flags.module);
  const parameters = checkOptions(attack.parametersSchema, readParameters(flags.param ?? []));
  const attackCase = attack.render(readQuestion(flags), parameters, `${flags.seed}/show`);
  const known: Condition[] = ['clean', 'attacked', ...(attackCase.hasControl ? (['control'] as const) : [])];
  const shown = flags.condition === undefined ? known : known.filter((one) => one === flags.condition);
  if (shown.length === 0) throw new HaltlineError('CONFIG_INVALID', `--condition: ${name} has no control`);
  if (flags.json) {
    const conditions = Object.fromEntries(shown.map((one) => [one, conditionJson(attackCase, one)]));
    const { targetAnswer, backdoorStep } = attackCase;
    const shape = { attack: name, parameters, targetAnswer, backdoorStep, conditions };
    process.stdout.write(`${JSON.stringify(shape, null, 2)}\n`);
    return;
  }
  const mark: Mark =
    process.stdout.isTTY && config.color ? (text) => `\x1b[7m${text}\x1b[27m` : (text) => `⟦${text}⟧`;
  const aim = attackCase.targetAnswer === undefined ? 'no answer' : attackCase.targetAnswer;
  process.stdout.write(`attack ${name}, aims at: ${terminalLines(aim)}\n`);
  for (const one of shown) process.stdout.write(describeCondition(attackCase, one, mark));
}

async function loadAttack(name: string, module: string | undefined): Promise<Attack> {
  if (module !== undefined) return (await loadAttackModule({ name, module }, process.cwd())).attack;
  const attack = findAttack(name);
  if (attack) return attack;
  const message = `attack: got ${JSON.stringify(name)}, expected ${hint(name, attackNames)}`;
  throw new HaltlineError('CONFIG_INVALID', message);
}

function readParameters(pairs: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const value: unknown = parse(pair.slice(at + 1));
      return [pair.slice(0, at), value];
    }),
  );
}

function readQuestion({ question, answer, choices, context }: ShowAttackFlags): Question {
  const labelled = choices?.map((text, index) => ({ label: String.fromCharCode(65 + index), text }));
  return checkOptions(questionSchema, {
    id: 'shown',
    dataset: 'shown',
    question,
    answer: answer ?? labelled?.[0]?.label ?? '1',
    ...(labelled === undefined ? {} : { choices: labelled }),
    ...(context === undefined ? {} : { context }),
  });
}

function conditionJson(attackCase: AttackCase, condition: Condition) {
  const spans = attackCase.messages.map(({ role, spans: own }) => ({
    role,
    spans: own.map((span) => ({
      text: spanText(span, condition),
      part: span.part,
      injected: span.injected && condition !== 'clean',
    })),
  }));
  return {
    messages: renderMessages(attackCase, condition),
    spans,
    views: renderViews(attackCase, condition),
  };
}

function describeCondition(attackCase: AttackCase, condition: Condition, mark: Mark): string {
  const messages = attackCase.messages.map(({ role, spans }) => {
    const texts = spans.map((span) => {
      const text = terminalLines(spanText(span, condition));
      return span.injected && condition !== 'clean' && text !== '' ? mark(text) : text;
    });
    return `[${role}]\n${texts.join('')}\n`;
  });
  const view = describeView(renderViews(attackCase, condition).user);
  return `\n== ${condition}\n${messages.join('')}-- what a monitor sees (user)\n${view}`;
}

function describeView({ query, context, asksForSteps }: Problem): string {
  const passage = context === undefined ? '' : `context: ${terminalLines(context)}\n`;
  return `query: ${terminalLines(query)}\n${passage}asks for steps: ${asksForSteps ? 'yes' : 'no'}\n`;
}
