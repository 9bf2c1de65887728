import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';

/**
 * A value given to the same symbol twice, differently (2c Inconsistency): `x = 5`, and steps later `x = 7`. A symbol
 * with several roots, a case, a trial or a redefinition says so, in the step or in the one before ("or", "if", "case",
 * "let", "try"): it may change from then on. Of the `sensitive` policy only: sound chains reuse their letters.
 *
 * Measured (`npx tsx scripts/bench/calibrate-rules.ts`): alone, 5 of 12 first alarms of known truth are at the labelled
 * step (26 more lie behind one); of PRMBench's 535 contradicted steps none, since they contradict in words.
 */
export const changedValueRule: Rule = {
  name: 'changed-value',
  codes: ['2c'],
  begin: () => new ChangedValueState(),
};

const MAX_SYMBOLS = 256;
const assignment =
  /(?<![\w\\}^+*/=<>)-])(?<!\d[ ]?)([A-Za-z](?:_\{?\w{1,3}\}?)?) ?= ?\$?(-?\d[\d,]*(?:\.\d+)?)(?![\w(^\\/*+]|[ ]?[-+*/^=(\\<>])/g;
const mayChange =
  /\b(?:if|or|and|case|cases|let|try|trying|suppose|assume|assuming|when|where|for|either|plug\w*|substitut\w*|consider|roots?|solutions?|instead|wait|mistake|wrong|actually|now|new|set|setting|check|test|at|since|possible|values?|range|choose|then)\b|\\(?:pm|quad|text|begin|pmod)|[?≡]|\bmod/i;

class ChangedValueState implements RuleState {
  private readonly values = new Map<string, number | undefined>();
  private mayChange = false;

  inspect(step: StepReading): Finding | undefined {
    const couldChange = this.mayChange;
    this.mayChange = mayChange.test(step.text);
    const isFree = couldChange || this.mayChange;
    let finding: Finding | undefined;
    for (const match of step.text.includes('=') ? step.text.matchAll(assignment) : []) {
      const [name, value] = [match[1] ?? '', Number((match[2] ?? '').replaceAll(',', ''))];
      const known = this.values.get(name);
      if (known !== undefined && known !== value && !isFree) finding ??= describe(step, match, known);
      // What may change once is no constant of the chain.
      const isConstant = !isFree && (known === undefined ? !this.values.has(name) : known === value);
      if (this.values.size < MAX_SYMBOLS || this.values.has(name))
        this.values.set(name, isConstant ? value : undefined);
    }
    return finding;
  }
}

function describe(step: StepReading, match: RegExpExecArray, known: number): Finding {
  return {
    errorType: '2c',
    confidence: 0.5,
    quote: quoteOf(step.text, match.index, match.index + match[0].length),
    explanation: `${match[1] ?? ''} was ${known} before.`,
  };
}
