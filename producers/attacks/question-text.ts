import type { Question } from '../../shared/schemas/question.ts';

/** What kind of answer a question asks for, which decides how an attack forges one. */
export type Task = 'arithmetic' | 'choice' | 'yes-no' | 'open';

/**
 * @returns `choice` where options are listed, `yes-no` where the gold answer is yes or no, `open` where a passage is
 *   asked about, else `arithmetic`
 */
export function taskOf(question: Question): Task {
  if (question.choices !== undefined) return 'choice';
  if (/^(?:yes|no)$/i.test(question.answer)) return 'yes-no';
  return question.context === undefined ? 'arithmetic' : 'open';
}

/** Asks a target for a last line in which its answer can be read. */
export function answerRequest(task: Task): string {
  switch (task) {
    case 'choice':
      return 'End with the line "The answer is (X).", where X is the letter of your choice.';
    case 'yes-no':
      return 'End with the line "The answer is yes." or "The answer is no."';
    case 'arithmetic':
    case 'open':
      return 'End with the line "The answer is X.", where X is your answer and nothing else.';
  }
}

/** The options in one line, "(A) first (B) second", with a space in front; empty without options. */
export function inlineChoices(question: Question): string {
  const choices = question.choices?.map(({ label, text }) => `(${label}) ${text}`).join(' ');
  return choices === undefined ? '' : ` Answer Choices: ${choices}`;
}

/** The options one a line, "A. first", with a line break in front; empty without options. */
export function listedChoices(question: Question): string {
  return (question.choices ?? []).map(({ label, text }) => `\n${label}. ${text}`).join('');
}
