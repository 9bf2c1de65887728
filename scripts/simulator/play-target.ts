import { createRandom, type Random } from '../../shared/core/random.ts';
import type { Question } from '../../shared/schemas/question.ts';
import { adoptAnswer, findPlantedAnswer } from './adopt-answer.ts';
import { answerFirst } from './answer-first.ts';
import { arrangeChain, type Piece } from './arrange-chain.ts';
import { type Decoy, digress, findDecoy } from './digress.ts';
import { findBackdoor, withBackdoorStep } from './imitate-backdoor.ts';
import { loopForever, readSubject } from './loops.ts';
import { loopKinds, type Personality, type Susceptibility } from './personality.ts';
import type { QuestionIndex } from './question-index.ts';
import { type PromptMessage, type PromptView, readPrompt } from './read-prompt.ts';
import { bendSolution, guessAnswer, slipAnswer, type Solution, solveQuestion } from './solve-question.ts';

/** Everything that decides what a target writes; nothing else does. */
export interface TargetPrompt {
  readonly messages: readonly PromptMessage[];
  /** One string of the simulator's seed, the model, the request's seed and its messages. */
  readonly seed: string;
}

/** What a target knows and is like. */
export interface TargetMind {
  readonly personality: Personality;
  readonly susceptibility: Susceptibility;
  readonly questions: QuestionIndex;
  /** Share of unknown questions that get a guess (mostly wrong); the rest are left without an answer. */
  readonly wrongShare: number;
  /** Share of known questions that get a natural slip. */
  readonly errorShare: number;
}

/**
 * What a target model writes, lazily: a looping one never ends, so the caller stops at its token limit.
 * A pure function of its arguments.
 */
export function playTarget(prompt: TargetPrompt, mind: TargetMind): Generator<Piece> {
  const view = readPrompt(prompt.messages);
  const random = (purpose: string) => createRandom(`${prompt.seed}/${purpose}`);
  const falls = (attack: keyof Susceptibility) =>
    random(`falls-${attack}`).next() < mind.susceptibility[attack];
  const found = mind.questions.find(view.query)?.question;
  const own = solveOrGuess(found, view, mind, random);
  if (isStuck(view, mind.personality, falls)) {
    return arrangeChain(
      {
        view,
        opening: own?.steps.slice(0, 2) ?? [],
        endless: loop(found, view, mind.personality, random('loop')),
      },
      mind.personality,
      random('wording'),
    );
  }
  const decoy = findForeignDecoy(view, found);
  const digression =
    decoy !== undefined && falls('overthink')
      ? digress(decoy, mind.personality.digression, random('decoy'))
      : [];
  const hurried =
    own === undefined
      ? undefined
      : answerFirst(own, view.query, { found, isRash: falls('paa'), random: random('hurried') });
  const settled = hurried?.solution ?? own;
  const solution =
    settled === undefined ? undefined : corrupt(settled, { view, found, falls, random: random('planted') });
  return arrangeChain(
    { view, preface: [...(hurried?.preface ?? []), ...digression], solution, known: found?.question },
    mind.personality,
    random('wording'),
  );
}

const invitesEndlessChecks =
  /\b(?:keep|go on|continue|never stop) (?:on )?(?:checking|doubting|verifying|reconsidering)\b/i;

/** Deadlock's implanted token, or a prompt that asks a reasoning model for the same. */
function isStuck(
  { user }: PromptView,
  { backdoorToken, reasoning }: Personality,
  falls: (attack: keyof Susceptibility) => boolean,
): boolean {
  if (backdoorToken !== undefined && user.startsWith(backdoorToken)) return falls('deadlock');
  return reasoning !== 'none' && invitesEndlessChecks.test(user) && falls('surrogate');
}

function solveOrGuess(
  question: Question | undefined,
  view: PromptView,
  { wrongShare, errorShare }: TargetMind,
  random: (purpose: string) => Random,
): Solution | undefined {
  if (question === undefined) {
    return random('guesses').next() < wrongShare ? guessAnswer(view.query, random('guess')) : undefined;
  }
  const solution = solveQuestion(question, random('solve'));
  const slip = random('slips').next() < errorShare ? slipAnswer(question, random('slip')) : undefined;
  return slip === undefined ? solution : bendSolution(solution, slip);
}

interface Corruption {
  readonly view: PromptView;
  readonly found: Question | undefined;
  readonly falls: (attack: keyof Susceptibility) => boolean;
  readonly random: Random;
}

/** What the prompt's injections, if any, make of a solution. */
function corrupt(solution: Solution, { view, found, falls, random }: Corruption): Solution {
  const backdoor = findBackdoor(view);
  if (backdoor !== undefined) return falls('badchain') ? withBackdoorStep(solution, backdoor) : solution;
  const planted = findPlantedAnswer(view.query, found);
  const tempts = planted !== undefined && planted !== solution.answer;
  return tempts && falls('paa') ? adoptAnswer(solution, planted, random) : solution;
}

/** A decoy that the known question and its own passage do not hold themselves. */
function findForeignDecoy(view: PromptView, question: Question | undefined): Decoy | undefined {
  const decoy = findDecoy(view.query);
  const own = `solve ${question?.question ?? ''} ${question?.context ?? ''}`;
  return decoy === undefined || findDecoy(own)?.kind === decoy.kind ? undefined : decoy;
}

function* loop(
  question: Question | undefined,
  view: PromptView,
  { loop: kind, blankLines }: Personality,
  random: Random,
): Generator<string> {
  const subject = readSubject(question?.question ?? view.query);
  const chosen = kind ?? random.pick(loopKinds);
  const withBlankLines = blankLines ?? random.next() < 0.75;
  const separator = withBlankLines ? '\n\n' : random.pick(['\n', ' ']);
  for (const paragraph of loopForever(subject, chosen, random)) yield separator + paragraph;
}
