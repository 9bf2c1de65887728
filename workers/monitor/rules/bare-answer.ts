import type { Problem } from '../../../shared/schemas/problem.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { wordHashes } from './words.ts';

/**
 * An answer with no reasoning under it (3c Premature Conclusion). On the first `answer` step, if reasoning was shown
 * and holds no more than the question restated; on the first `content` step, if the prompt asks for steps, gives no
 * passage to answer from, and the answer stands before anything is derived. Never where reasoning is hidden: there no
 * step comes before the `answer`.
 *
 * Measured (`npx tsx scripts/bench/rules.ts`): 1 alarm on the 845 error-free ProcessBench chains (a one-line answer).
 */
export const bareAnswerRule: Rule = {
  name: 'bare-answer',
  codes: ['3c'],
  begin: (problem) => new BareAnswerState(problem),
};

/** Fewer words than this that the question does not have: nothing was derived. */
const MIN_NEW_WORDS = 4;
const answerMark = /\\boxed\s*\{|####|\b(?:final )?answer\s*(?:is\b|:|=)/i;
/** A step that is nothing but a choice, a yes or a number, without the marks around it. */
const bareValue = /^(?:[A-F]|yes|no|true|false|\d[\d.,/]*)$/i;
/** More than this around a bare value is no answer any more, and white space alone must not cost time. */
const MAX_BARE_UNITS = 80;

class BareAnswerState implements RuleState {
  private readonly asksForSteps: boolean;
  private readonly askedWords: ReadonlySet<number>;
  private readonly newWords = new Set<number>();
  private derived = false;
  private isOver = false;
  private hasReasoning = false;

  constructor({ query, context, asksForSteps }: Problem) {
    // What stands in a passage needs no derivation.
    this.asksForSteps = asksForSteps && context === undefined;
    this.askedWords = new Set(wordHashes(query));
  }

  inspect(step: StepReading): Finding | undefined {
    if (this.isOver) return undefined;
    if (step.channel === 'reasoning') {
      this.hasReasoning = true;
      // Once something is derived no word of a long chain needs to be held.
      if (!this.isDerived()) this.learn(step.words(), step.equations().length);
    } else this.isOver = true;
    if (step.channel === 'answer')
      return this.hasReasoning && !this.isDerived() ? describe(step, 0) : undefined;
    return step.channel === 'content' && this.asksForSteps ? this.inspectContent(step) : undefined;
  }

  private inspectContent(step: StepReading): Finding | undefined {
    const at = answerPlace(step.text);
    if (at === undefined) return undefined;
    const before = step.text.slice(0, at);
    this.learn(wordHashes(before), before.includes('=') ? 1 : 0);
    return this.isDerived() ? undefined : describe(step, at);
  }

  private learn(words: readonly number[], equations: number): void {
    if (equations > 0) this.derived = true;
    for (const word of words) if (!this.askedWords.has(word)) this.newWords.add(word);
  }

  private isDerived(): boolean {
    return this.derived || this.newWords.size >= MIN_NEW_WORDS;
  }
}

/** Where the answer stands in a step, if one does. */
function answerPlace(text: string): number | undefined {
  const mark = answerMark.exec(text);
  if (mark !== null) return mark.index;
  if (text.length > MAX_BARE_UNITS) return undefined;
  return bareValue.test(text.replace(/^\W{1,80}/, '').replace(/\W{1,80}$/, '')) ? 0 : undefined;
}

function describe(step: StepReading, from: number): Finding {
  return {
    errorType: '3c',
    confidence: 0.8,
    quote: quoteOf(step.text, from),
    explanation: 'The answer is given before anything but the question itself has been said.',
  };
}
