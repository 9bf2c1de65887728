import type { z } from 'zod';
import type { BackdoorStep } from '../../shared/core/backdoor-step.ts';
import type { Question } from '../../shared/schemas/question.ts';

/**
 * A piece of a message. `attacked` is every span's `text`; `clean` is what is not injected, or the `clean` form of
 * what is; `control` likewise with the `control` form. One source for all arms, for the tests that hold them apart
 * and for showing what was injected.
 *
 * `part` says what the span is to a monitor: the user's `query`, retrieved `context`, few-shot `demonstrations`, or
 * the `frame` around them (instructions and labels, no part of the problem).
 */
export interface Span {
  readonly text: string;
  readonly injected: boolean;
  readonly clean?: string;
  readonly control?: string;
  readonly part: 'query' | 'context' | 'demonstrations' | 'frame';
}

export interface AttackMessage {
  readonly role: 'system' | 'user';
  readonly spans: readonly Span[];
}

/** One question under one attack, in every condition. */
export interface AttackCase {
  readonly messages: readonly AttackMessage[];
  /** Whether the attack has a `control` arm (BadChain: poisoned demonstrations, no trigger). */
  readonly hasControl: boolean;
  /** Whether the prompt asks for reasoning step by step. */
  readonly asksForSteps: boolean;
  /** The answer that the attack aims at, in the form that the data set's extractor yields. */
  readonly targetAnswer?: string;
  /** How to recognise the attack's own step in a chain (`asr_step`). */
  readonly backdoorStep?: BackdoorStep;
  /**
   * The prompt as input embeddings (base64, one value a condition) where the attack has no text form. A condition
   * with a value sends it in the place of the messages, which are then only what is shown of it.
   */
  readonly promptEmbeds?: PromptEmbeds;
}

export interface PromptEmbeds {
  readonly attacked: string;
  /** The same prompt without the injection. Absent: the messages are sent as text. */
  readonly clean?: string;
}

/** An attack: a pure function of (question, parameters, seed). Equal arguments give equal bytes. */
export interface Attack<Parameters = unknown> {
  readonly name: string;
  /** What it does, in a line. */
  readonly summary?: string;
  readonly parametersSchema: z.ZodType<Parameters>;
  /** The only API that can carry the attack with these parameters; absent or undefined: any. */
  neededApi?(parameters: Parameters): 'completions' | undefined;
  render(question: Question, parameters: Parameters, seed: string): AttackCase;
}
