import type { Random } from '../../shared/core/random.ts';
import { findEquations } from './arithmetic.ts';
import type { Personality } from './personality.ts';
import { type PromptView, writeAnswer } from './read-prompt.ts';
import type { Solution } from './solve-question.ts';

/** A stretch of text on its way out. */
export interface Piece {
  readonly channel: 'reasoning' | 'content';
  readonly text: string;
}

/** What is to be said. Without a solution the model gives no answer; `endless` leaves nothing to come after it. */
export type ChainPlan = SolvedPlan | EndlessPlan;

interface SolvedPlan {
  readonly view: PromptView;
  /** Paragraphs in front of everything else: a decoy's working, an answer asked for first. */
  readonly preface: Iterable<string>;
  readonly solution: Solution | undefined;
  /** The known question, if it is one. */
  readonly known: string | undefined;
}

interface EndlessPlan {
  readonly view: PromptView;
  readonly opening: readonly string[];
  readonly endless: Iterable<string>;
}

const noAnswer = 'I cannot tell the answer from what is given.';

/** Puts a chain into its channels: a reasoner thinks, then answers in short; an instruct model says it all at once. */
export function* arrangeChain(plan: ChainPlan, personality: Personality, random: Random): Generator<Piece> {
  const separator = personality.paragraphs ? '\n\n' : '\n';
  const thinks = personality.reasoning !== 'none';
  const channel = thinks ? 'reasoning' : 'content';
  if ('endless' in plan) {
    const opening = [openChain(plan.view, undefined, random), ...plan.opening];
    yield { channel, text: opening.join(separator) };
    for (const text of plan.endless) yield { channel, text };
    return;
  }
  const paragraphs = writeThoughts(plan, { personality, random, thinks });
  yield* joined(paragraphs, channel, separator);
  const final = writeFinal(plan, thinks, random);
  if (!thinks) yield { channel, text: separator };
  yield { channel: 'content', text: final.join(separator) };
}

function* writeThoughts(
  { view, preface, solution, known }: SolvedPlan,
  { personality, random, thinks }: { personality: Personality; random: Random; thinks: boolean },
): Generator<string> {
  yield* preface;
  const imitates = view.demonstrations.length > 0 && !thinks;
  if (!imitates) yield openChain(view, known, random);
  const steps = solution?.steps ?? ['I have read it twice, and something that I would need is not there.'];
  const doubts = random.shuffle(passingDoubts);
  for (const step of steps) {
    yield step;
    const aside = imitates ? undefined : checkStep(step, personality.verbosity, { random, doubts });
    if (aside !== undefined) yield aside;
  }
  if (thinks && solution !== undefined) {
    yield random.pick([`So the answer is ${solution.answer}.`, `Therefore I arrive at ${solution.answer}.`]);
  }
}

/** A reasoner's answer says no more than it must: its work stands in the reasoning. */
function writeFinal({ view, solution }: SolvedPlan, thinks: boolean, random: Random): string[] {
  if (solution === undefined) return [noAnswer];
  const summary = thinks ? [random.pick(summaries)] : [];
  return [...summary, writeAnswer(solution.answer, view.answerForm)];
}

const summaries = [
  'I worked through the question step by step.',
  'Putting everything together gives the result below.',
  'Here is what this comes to.',
];

const plans = [
  'I will take it step by step, starting from what is given.',
  'Let me go through what is known first, and then work towards what is asked.',
  'Let me write down what the question gives and combine it in order.',
];

/** The first paragraph: the question in its own words, or a plan. */
function openChain(view: PromptView, known: string | undefined, random: Random): string {
  const question = (known ?? view.query).replace(/\s+/g, ' ').trim();
  const asked = /[^.!?]*\?/.exec(question)?.[0].trim() ?? question.slice(0, 160);
  return random.pick([
    `The question is: ${asked} ${random.pick(plans)}`,
    `I need to find this: ${asked}`,
    random.pick(plans),
  ]);
}

const passingDoubts = [
  'Did I miss anything in the question up to here? I do not think so.',
  'Wait, let me make sure that I read this part as it stands. Yes, that is what it says.',
  'That is in line with what came before.',
];

/** Now and then a look back, as reasoning models take it; its sums are right. */
function checkStep(
  step: string,
  verbosity: number,
  { random, doubts }: { random: Random; doubts: string[] },
): string | undefined {
  const [equation] = findEquations(step);
  const draw = random.next();
  if (equation?.holds === true && draw < verbosity * 0.4) {
    return random.pick([
      `Checking this: ${equation.sum} is ${equation.result}, so that holds.`,
      `Let me verify ${equation.sum}. It comes to ${equation.result}, as I have it.`,
    ]);
  }
  // Each is had once: said again it would be the beginning of a loop.
  return draw > 1 - verbosity * 0.1 ? doubts.pop() : undefined;
}

function* joined(
  paragraphs: Iterable<string>,
  channel: Piece['channel'],
  separator: string,
): Generator<Piece> {
  let isFirst = true;
  for (const paragraph of paragraphs) {
    yield { channel, text: isFirst ? paragraph : separator + paragraph };
    isFirst = false;
  }
}
