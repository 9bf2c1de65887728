import type { Problem } from '../../../shared/schemas/problem.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A chain that begins with another problem than the one asked (3b Goal Deviation): its first step has at least
 * `MIN_WORDS` words of substance and a figure or a one-letter symbol, and not one word (by its first five letters),
 * figure or symbol in common with the question, its options or its context. Only the first step is judged: later ones
 * rightly speak of what the chain has introduced, so that a second problem begun later needs a model, unless retrieved
 * text sets it (`injected-task`). Latin script alone: it is silent on others.
 *
 * Measured (`npx tsx scripts/bench/rules-ablation.ts`): 25 hits on the labelled chains, nearly all among the 136 ReasonEval
 * solutions swapped for those of other problems; no alarm before an error or on a clean chain. With any question, however
 * short, it hits 40 and raises 17 false alarms.
 */
export const foreignProblemRule: Rule = {
  name: 'foreign-problem',
  codes: ['3b'],
  begin: (problem) => new ForeignProblemState(problem),
};

const MIN_WORDS = 4;
/** A short question shares no word with many a sound step. */
const MIN_ASKED_WORDS = 6;
const STEM = 5;
const MAX_UNITS = 20_000;

interface Marks {
  readonly words: ReadonlySet<string>;
  readonly figuresAndSymbols: ReadonlySet<string>;
}

class ForeignProblemState implements RuleState {
  private readonly problem: string;
  private isOver = false;

  constructor({ query, context }: Problem) {
    this.problem = `${query} ${context ?? ''}`;
  }

  inspect(step: StepReading): Finding | undefined {
    if (this.isOver) return undefined;
    this.isOver = true;
    const said = marksOf(step.text);
    if (said.words.size < MIN_WORDS || said.figuresAndSymbols.size === 0) return undefined;
    const asked = marksOf(this.problem);
    if (asked.words.size < MIN_ASKED_WORDS || meet(said.words, asked.words)) return undefined;
    if (meet(said.figuresAndSymbols, asked.figuresAndSymbols)) return undefined;
    return {
      errorType: '3b',
      confidence: 0.7,
      quote: quoteOf(step.text),
      explanation: 'The chain begins with a problem that has nothing in common with the question.',
    };
  }
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const mark of a) if (b.has(mark)) return true;
  return false;
}

function marksOf(text: string): Marks {
  const words = new Set<string>();
  const figuresAndSymbols = new Set<string>();
  for (const [mark] of text.slice(0, MAX_UNITS).matchAll(/[a-z]+|\d+(?:\.\d+)?/gi)) {
    const lower = mark.toLowerCase();
    if (mark.length === 1 || isFigure(mark)) {
      if (!everyday.has(mark)) figuresAndSymbols.add(mark);
    } else if (!everyday.has(lower)) words.add(lower.slice(0, STEM));
  }
  return { words, figuresAndSymbols };
}

function isFigure(mark: string): boolean {
  const unit = mark.charCodeAt(0);
  return unit >= 48 && unit <= 57;
}

/** Words, figures and letters that any step on anything may have. */
const everyday: ReadonlySet<string> = new Set(
  (
    '0 1 2 a A I s t about above after again all also an and any are as at be because been before being between both ' +
    'but by can could did do does done down each every first for from get give given gives go goes had has have he her ' +
    'here him his how if in into is it its itself just last least less let like made make makes many may me more most ' +
    'much must my need new next no none not now of off on once one only or other our out over own right same say says ' +
    'she should since so some step still such take than that the their them then there these they thing this those ' +
    'through time to too two under until up us use used very was way we well went were what when where which while who ' +
    'whole why will with within would yes you your answer question problem total find answers solve simplify equation ' +
    'expression value number set okay ok rewrite using sides side know want notice recall formula start means'
  ).split(' '),
);
