import type { ErrorCode } from './taxonomy.ts';

interface SourceLabel {
  readonly code: ErrorCode;
  /** Why this code and no other. */
  readonly reason: string;
}

/** A source: data sets whose id begins with `prefix`, and what their labels (or the set as a whole) stand for. */
interface Source {
  readonly prefix: string;
  readonly labels?: Readonly<Record<string, SourceLabel>>;
  /** For sets that name no type: their tasks allow one kind of error only. */
  readonly whole?: SourceLabel;
}

/**
 * How labels of published sets of chains read in the nine subtypes of arXiv 2603.25412, section 3.2. No source uses
 * these subtypes: each line is a judgement, with its reason. A label that fits several subtypes, or none, is left out on
 * purpose, and what it labels is dropped from figures by type, and counted: PRMBench `confidence` and `deception` (how
 * sure or how deceptive a step sounds, not what is wrong in it), ROSCOE `Factuality`, `Commonsense`, `Hallucination` and
 * `Final Answer`, ReasonEval `swap steps`, a lack of knowledge, and every set that marks a step without a type.
 */
const sources: readonly Source[] = [
  {
    prefix: 'prmbench_',
    labels: {
      circular: { code: '2a', reason: 'the conclusion is used as its own premise' },
      counterfactual: { code: '2a', reason: 'argues from a statement that is known to be false' },
      domain_inconsistency: { code: '2a', reason: 'uses a theorem where it does not hold' },
      missing_condition: { code: '1b', reason: 'a condition of the problem is passed over' },
      step_contradiction: { code: '2c', reason: 'contradicts an earlier step' },
      redundency: {
        code: '3a',
        reason: 'repeats what is established; such steps may be true, so the fit is weak',
      },
    },
  },
  {
    prefix: 'eic_',
    labels: {
      calculation_error: { code: '2b', reason: 'a wrong result of a right operation' },
      counting_error: { code: '2b', reason: 'a wrong count' },
      operator_error: { code: '2b', reason: 'the equation as written uses another operation than it needs' },
      confusing_formula_error: { code: '2a', reason: 'a formula that does not apply' },
      referencing_context_value_error: {
        code: '1c',
        reason: 'a name bound to another quantity of the question',
      },
      unit_conversion_error: { code: '1c', reason: 'a quantity bound to the wrong unit' },
      referencing_previous_step_value_error: {
        code: '2c',
        reason: 'another value than an earlier step gave',
      },
      adding_irrelevant_information: { code: '3b', reason: 'leaves the question for something else' },
      missing_step: {
        code: '3c',
        reason: 'concludes without a step that it needs; weak: the mark is after the gap',
      },
    },
  },
  {
    prefix: 'reasoneval_perturbation',
    labels: {
      'random number': { code: '2b', reason: 'a number that does not follow' },
      'random operation': { code: '2b', reason: 'an operation that does not follow' },
      'repeat step': { code: '3a', reason: 'a step twice' },
      'remove step': {
        code: '3c',
        reason: 'concludes without a step that it needs; weak: the mark is after the gap',
      },
      'swap solutions': { code: '3b', reason: 'solves another problem' },
    },
  },
  {
    prefix: 'roscoe_',
    labels: {
      Arithmetic: { code: '2b', reason: 'an equation that does not hold' },
      'Coherency and Logic': { code: '2a', reason: 'steps that do not follow from each other' },
    },
  },
  {
    prefix: 'verify_then_generate',
    labels: {
      'Misunderstanding of a question': { code: '1a', reason: 'the question is read as another' },
      'Extra quantity or Missing quantity': {
        code: '1b',
        reason: 'a quantity of the question is left out, or one added',
      },
      'Unit conversion error': { code: '1c', reason: 'a quantity bound to the wrong unit' },
      'Calculation error easily solved by a calculator': {
        code: '2b',
        reason: 'a wrong result of an operation',
      },
      'Reached correct solution but proceeded further': { code: '3b', reason: 'goes on past what was asked' },
    },
  },
  {
    prefix: 'deltabench_',
    labels: {
      'Problem Misunderstanding': { code: '1a', reason: 'the question is read as another' },
      'Theorem Error': { code: '2a', reason: 'a theorem that does not apply' },
    },
  },
  {
    prefix: 'bigbench_mistake_logical_deduction',
    whole: { code: '2a', reason: 'chains of inferences from given orderings, no arithmetic' },
  },
  {
    prefix: 'bigbench_mistake_multistep_arithmetic',
    whole: { code: '2b', reason: 'one expression, evaluated step by step' },
  },
  {
    prefix: 'bigbench_mistake_tracking_shuffled_objects',
    whole: { code: '2c', reason: 'a state that no longer agrees with the state before it' },
  },
  {
    prefix: 'bigbench_mistake_dyck_languages',
    whole: { code: '2c', reason: 'a stack that no longer agrees with the stack before it' },
  },
];

/**
 * The subtype that a source's label stands for.
 *
 * @param dataset - id of the data set, as its rows name it
 * @param label - the source's own; several at once are parted by `; `
 * @returns undefined where the label fits none or several subtypes, or the set names none
 */
export function errorCodeOf(dataset: string, label: string | undefined): ErrorCode | undefined {
  const source = sources.find(({ prefix }) => dataset.startsWith(prefix));
  if (label === undefined) return source?.whole?.code;
  const codes = new Set(label.split('; ').map((part) => labelled(source, part)?.code));
  const [only] = codes;
  return codes.size === 1 ? only : undefined;
}

function labelled(source: Source | undefined, label: string): SourceLabel | undefined {
  return source?.labels && Object.hasOwn(source.labels, label) ? source.labels[label] : undefined;
}
