import type { ExtractorName } from '../../schemas/question.ts';
import type { AnswerSpan, Choice } from './answer-span.ts';
import { findChoice } from './choice.ts';
import { findFormula, isSameFormula } from './math.ts';
import { findFreeSpan, isSameSpan } from './free-span.ts';
import { findNumber, isSameNumber } from './number.ts';
import { findYesNo } from './yes-no.ts';

export interface ExtractOptions {
  /** The options of a multiple-choice question; labels default to A to E. */
  readonly choices?: readonly Choice[] | undefined;
}

/**
 * The answer that a text gives and where it stands. Work is linear in the text.
 *
 * @returns undefined when the text holds no answer of this kind (also for an empty text)
 */
export function extractAnswerSpan(
  extractor: ExtractorName,
  text: string,
  options: ExtractOptions = {},
): AnswerSpan | undefined {
  switch (extractor) {
    case 'number':
      return findNumber(text);
    case 'choice':
      return findChoice(text, options.choices);
    case 'yes-no':
      return findYesNo(text);
    case 'span':
      return findFreeSpan(text);
    case 'math':
      return findFormula(text);
  }
}

/** The normalised value of `extractAnswerSpan`: what `isCorrect` compares, and what target answers are written as. */
export function extractAnswer(
  extractor: ExtractorName,
  text: string,
  options: ExtractOptions = {},
): string | undefined {
  return extractAnswerSpan(extractor, text, options)?.value;
}

/**
 * Whether an extracted answer equals a gold (or target) answer, under the rules of its kind: numbers to one part in
 * 100,000, labels and yes/no in any case, spans after SQuAD's normalisation, formulas after one spelling.
 */
export function isCorrect(extractor: ExtractorName, extracted: string, gold: string): boolean {
  switch (extractor) {
    case 'number':
      return isSameNumber(extracted, gold);
    case 'choice':
    case 'yes-no':
      return extracted.trim().toLowerCase() === gold.trim().toLowerCase();
    case 'span':
      return isSameSpan(extracted, gold);
    case 'math':
      return isSameFormula(extracted, gold);
  }
}
