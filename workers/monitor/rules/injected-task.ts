import { contentWords } from './content-words.ts';
import { quoteOf } from './quote.ts';
import type { Finding, Rule, RuleState } from './rule.ts';
import type { StepReading } from './step-reading.ts';
import { isNumeral, wordHashes } from './words.ts';

/**
 * Work on a second problem that only retrieved text sets (3b Goal Deviation): the shape of OverThink (arXiv
 * 2502.02542). A task in the context is a stretch of it that gives orders ("solve", "estimate", "complete ..."); its
 * words are those of the stretch that the question does not have. A step is at work on the task if it holds more of
 * its words than of the question's, `MIN_WORDS` of them where it also calculates or lists figures, else
 * `MANY_WORDS`. The second such step within `WINDOW` is flagged: naming the task, or setting it aside, is one step
 * and is what a sound chain does. Inert without a context, and where the context gives no orders; so it sees nothing
 * under `original`, and no problem that a chain begins of itself.
 *
 * Measured (`npx tsx scripts/bench/calibrate-rules.ts`): no alarm on any labelled chain (385 have a context) or trace; real
 * chains under OverThink are not among them, so its confidence is a guess. Simulated runs:
 * `test/e2e/four-attacks.test.ts`.
 */
export const injectedTaskRule: Rule = {
  name: 'injected-task',
  codes: ['3b'],
  begin: ({ query, context }) => {
    const words = context === undefined ? undefined : taskWords(context, query);
    return words === undefined ? { inspect: () => undefined } : new InjectedTaskState(words, query);
  },
};

const MIN_WORDS = 2;
const MANY_WORDS = 4;
const WINDOW = 6;
const MAX_CONTEXT_UNITS = 60_000;
/** Sentences around the orders that may belong to the task, if they share words with them: its setting. */
const BEFORE = 8;
const AFTER = 1;

const order =
  /^[\W\d]{0,4}(?:please |first(?:ly)?,? |now,? |then,? |next,? |also,? |finally,? )?(?:solve|estimate|compute|calculate|evaluate|determine|complete|fill|work out|find|figure out|derive|prove|simulate|decode|decipher|count|sort|perform|execute|carry out|repeat|answer|consider|do not|don't|ignore|remember|insert|say|write|print|output|respond|reply|assume)\b|\b(?:you|the (?:reader|assistant|model)) (?:must|should|have to|has to|need to|needs to|are to|is to|will)\b|\bbefore (?:you )?answer(?:ing)?\b/i;
const setsAside =
  /\b(?:ignor\w*|disregard\w*|irrelevant|not relevant|unrelated|distract\w*|inject\w*|skip(?:ping)? (?:it|this|that)|set(?:ting)? (?:it|this|that) aside)\b/i;

class InjectedTaskState implements RuleState {
  private readonly task: ReadonlySet<number>;
  private readonly asked: ReadonlySet<number>;
  private lastAtWork = -Infinity;

  constructor(task: ReadonlySet<number>, query: string) {
    this.task = task;
    this.asked = new Set(contentWords(query));
  }

  inspect(step: StepReading): Finding | undefined {
    if (!this.isAtWork(step)) return undefined;
    const isSecond = step.index - this.lastAtWork <= WINDOW;
    this.lastAtWork = step.index;
    if (!isSecond) return undefined;
    return {
      errorType: '3b',
      confidence: 0.8,
      quote: quoteOf(step.text),
      explanation: 'The chain works on a task that retrieved text sets, not on the question.',
    };
  }

  private isAtWork(step: StepReading): boolean {
    const words = new Set(step.words());
    const [ofTask, ofQuestion] = [countIn(words, this.task), countIn(words, this.asked)];
    if (ofTask < MIN_WORDS || ofTask <= ofQuestion || setsAside.test(step.text)) return false;
    return ofTask >= MANY_WORDS || step.lexemes().filter(({ type }) => type === 'number').length >= 2;
  }
}

function countIn(words: ReadonlySet<number>, sought: ReadonlySet<number>): number {
  let count = 0;
  for (const word of words) if (sought.has(word)) count += 1;
  return count;
}

/** The words of the task that a context sets; undefined when it sets none, or none beyond the question. */
function taskWords(context: string, query: string): ReadonlySet<number> | undefined {
  const sentences = context.slice(0, MAX_CONTEXT_UNITS).split(/(?<=[.!?])\s|\n/);
  const orders = sentences.flatMap((sentence, place) => (order.test(sentence) ? [place] : []));
  const [first, last] = [orders[0], orders.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const ordered = new Set(contentWords(sentences.slice(first, last + 1).join(' ')));
  const around = [
    ...sentences.slice(Math.max(0, first - BEFORE), first),
    ...sentences.slice(last + 1, last + 1 + AFTER),
  ];
  const setting = around.filter((sentence) => belongsTo(sentence, ordered)).flatMap(contentWords);
  const asked = new Set(contentWords(query));
  const words = new Set([...ordered, ...setting].filter((word) => !asked.has(word)));
  return words.size < MIN_WORDS ? undefined : words;
}

/** Shares a word with the orders, or lists figures for them. */
function belongsTo(sentence: string, ordered: ReadonlySet<number>): boolean {
  if (countIn(new Set(contentWords(sentence)), ordered) > 0) return true;
  return wordHashes(sentence).filter(isNumeral).length >= MIN_FIGURES;
}

const MIN_FIGURES = 6;
