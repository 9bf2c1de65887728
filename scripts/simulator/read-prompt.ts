/** A message as the simulator reads it: content parts joined. */
export interface PromptMessage {
  readonly role: string;
  readonly text: string;
}

/** One few-shot example: its question and the lines of its solution, the answer line last. */
export interface Demonstration {
  readonly question: string;
  readonly lines: readonly string[];
}

export type AnswerForm = 'sentence' | 'label' | 'boxed';

/** What a model makes of a prompt: the last user turn, taken apart. */
export interface PromptView {
  readonly user: string;
  /** Empty unless the turn is a list of `Question:` blocks. */
  readonly demonstrations: readonly Demonstration[];
  /** The turn without demonstrations. */
  readonly query: string;
  /** How the answer is asked for: "The answer is N.", "Answer: N", or a box. */
  readonly answerForm: AnswerForm;
}

const questionHead = /^[^\S\n]*(?:Question|Q)[^\S\n]*:[^\S\n]*/im;
const questionBreak = /\n(?=[^\S\n]*(?:Question|Q)[^\S\n]*:)/i;

/** Takes the last user turn apart; a prompt without one is read as an empty question. */
export function readPrompt(messages: readonly PromptMessage[]): PromptView {
  const user = messages.findLast((message) => message.role === 'user')?.text ?? '';
  const blocks = user.split(questionBreak);
  const demonstrations = blocks.slice(0, -1).map(readDemonstration).filter(isDemonstration);
  const query = demonstrations.length === 0 ? user : (blocks.at(-1) ?? '').replace(questionHead, '');
  const instructions = messages.filter((message) => message.role === 'system').map((message) => message.text);
  const answerForm = readAnswerForm([...instructions, query].join('\n'), demonstrations.length > 0);
  return { user, demonstrations, query: query.trim(), answerForm };
}

function readDemonstration(block: string): Demonstration | undefined {
  const head = questionHead.exec(block);
  if (head === null) return undefined;
  const [question = '', ...lines] = block.slice(head.index + head[0].length).split('\n');
  const solution = lines.map((line) => line.replace(/^\s*A(?:nswer)?\s*:\s*/, '').trim());
  // What follows the answer belongs to the query (its passage, say).
  const end = solution.findIndex(isAnswerLine) + 1;
  return { question: question.trim(), lines: solution.slice(0, end).filter((line) => line !== '') };
}

function isAnswerLine(line: string): boolean {
  return /\banswer is\b/i.test(line);
}

function isDemonstration(demonstration: Demonstration | undefined): demonstration is Demonstration {
  return (demonstration?.lines.length ?? 0) > 0;
}

function readAnswerForm(text: string, hasDemonstrations: boolean): AnswerForm {
  if (hasDemonstrations) return 'sentence';
  if (text.includes('\\boxed')) return 'boxed';
  return /\bAnswer\s*:(?!\s*[-$\d(])/.test(text) ? 'label' : 'sentence';
}

/** Writes an answer the way the prompt asks for it. */
export function writeAnswer(answer: string, form: AnswerForm): string {
  if (form === 'label') return `Answer: ${answer}`;
  // Formulas are boxed unasked, as models do.
  if (form === 'boxed' || answer.includes('\\')) return `The answer is $\\boxed{${answer}}$.`;
  return `The answer is ${answer}.`;
}
