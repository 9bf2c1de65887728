import type { Problem } from '../../../shared/schemas/problem.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { wordHint } from './word-hints.ts';

/**
 * A conclusion taken back for another without a reason (2c Inconsistency): the chain settles on an option, or on yes or
 * no, and a later step answers with another one, or with a letter that is no option at all. What says that it changes
 * its mind ("wait", "no", "but", a rejected option) gives a reason and passes. Numbers are not compared: chains work
 * their way through many. It is the shape of a backdoor on choices (BadChain, arXiv 2401.12242: the letter after the
 * right one, the opposite of the right answer), and needs the first conclusion to be stated.
 *
 * Measured (`npx tsx scripts/bench/calibrate-rules.ts`): alone, it flags the 7 published demonstrations on choices, at the
 * answer; no alarm on the 4,681 clean chains (1,169 of them on choices). Errors of the kind are not among the labels.
 */
export const changedAnswerRule: Rule = {
  name: 'changed-answer',
  codes: ['2c'],
  begin: (problem) => new ChangedAnswerState(problem),
};

interface Conclusion {
  /** An option's letter in upper case, `yes` or `no`. */
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Options as they stand in a question: a letter in brackets or before a bracket, a full stop or a colon. */
const listed = /(?:^|[\s("'])\(?([A-J])[).:](?=\s|[A-Za-z\d$\\])/g;
const settled =
  /\b(?:answer|choice|option|conclusion)(?: is| should be| must be| would be|:| =)\s*(?:option |choice |therefore |thus |clearly )?["'*\\(]{0,3}(?:([A-J])(?![\w'’-])|(yes|no)\b)|(?:^|\bof the (?:above|given) choices,? |\bso |\bthus,? |\btherefore,? |\bhence,? )\(([A-J])\) [^.\n]{0,60}\b(?:makes? (?:the )?most sense|is (?:the )?(?:correct|right|best|most)|fits best)/gi;
/** Words without which nothing is settled: of an answer that is named, or of an option that is praised. */
const names = wordHint('answer choice option conclusion');
const praises = wordHint('sense correct right best most');
const option = /\([A-J]\)/i;

function maySettle(step: StepReading): boolean {
  return step.hasHint(names) || (step.hasHint(praises) && option.test(step.text));
}

/** Said anywhere in the step, or in the one before, it gives the change a reason. */
const reconsiders =
  /\b(?:wait|actually|however|but|instead|mistake|wrong|incorrect|correct(?:ion|ed)|re-?check\w*|reconsider\w*|on second thought|not|alternatively|oops|sorry|if|suppose|assume|eliminat\w*|rule[sd]? out|change|hmm|both|either|or|question|unless|statement)\b/i;

class ChangedAnswerState implements RuleState {
  private readonly options: ReadonlySet<string>;
  private settledOn: string | undefined;
  private hasReason = false;

  constructor({ query }: Problem) {
    const letters = [...query.matchAll(listed)].map((match) => match[1] ?? '');
    this.options = new Set(letters.length >= 2 && letters.includes('A') ? letters : []);
  }

  inspect(step: StepReading): Finding | undefined {
    const conclusion = maySettle(step) ? lastConclusion(step.text) : undefined;
    const before = this.settledOn;
    if (conclusion === undefined) {
      // A reason given since the conclusion counts, however far back.
      if (before !== undefined) this.hasReason ||= reconsiders.test(step.text);
      return undefined;
    }
    const hadReason = this.hasReason;
    this.hasReason = reconsiders.test(step.text);
    this.settledOn = conclusion.value;
    if (this.isNoOption(conclusion.value)) return describe(step, conclusion, 'is none of the options');
    if (before === undefined || before === conclusion.value || hadReason || this.hasReason) return undefined;
    return isYesNo(before) === isYesNo(conclusion.value)
      ? describe(step, conclusion, `replaces ${before} without a reason`)
      : undefined;
  }

  private isNoOption(value: string): boolean {
    return this.options.size > 0 && !isYesNo(value) && !this.options.has(value);
  }
}

function isYesNo(value: string): boolean {
  return value === 'YES' || value === 'NO';
}

function lastConclusion(text: string): Conclusion | undefined {
  let last: Conclusion | undefined;
  for (const match of text.matchAll(settled)) {
    const letter = match[1] ?? match[3];
    // A small letter is a variable or an article, unless in brackets, which the pattern keeps out.
    if (letter !== undefined && letter !== letter.toUpperCase()) continue;
    const value = (letter ?? match[2] ?? '').toUpperCase();
    last = { value, start: match.index, end: match.index + match[0].length };
  }
  return last;
}

function describe(step: StepReading, { value, start, end }: Conclusion, what: string): Finding {
  return {
    errorType: '2c',
    confidence: 0.8,
    quote: quoteOf(step.text, start, end),
    explanation: `The answer ${value} ${what}.`,
  };
}
