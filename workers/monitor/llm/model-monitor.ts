import type { Logger } from 'pino';
import type { Environment } from '../../../shared/config.ts';
import { countTokens } from '../../../shared/core/tokens.ts';
import { HaltlineError } from '../../../shared/errors.ts';
import type { RequestLimiter } from '../../../shared/redis/request-limiter.ts';
import type { Problem } from '../../../shared/schemas/problem.ts';
import type { Step } from '../../../shared/schemas/step.ts';
import type { ModelMonitorSpec } from '../../../shared/schemas/sweep-spec.ts';
import type { Verdict } from '../../../shared/schemas/verdict.ts';
import type { ChainMonitor, JudgeContext, Monitor } from '../monitor.ts';
import type { Slots } from '../slots.ts';
import { askModel } from './ask-model.ts';
import { ChainInput, stepsLeftOut } from './chain-input.ts';
import { createEndpoint, type ModelEndpoint } from './model-endpoint.ts';
import { formOf, modelMonitorVersion, promptOf } from './model-version.ts';
import { buildMessages } from './prompt.ts';
import { type Judgement, readReply, toVerdict } from './read-reply.ts';
import type { KnownFormats } from './reply-format.ts';

/** What the monitors of one worker process share. */
export interface ModelTools {
  /** Where API keys are read from, by the variable names of the spec. */
  readonly env: Environment;
  readonly formats: KnownFormats;
  /** Judgements at once. */
  readonly slots: Slots;
  /** What the models can take, over all processes; without it, nothing is limited. */
  readonly limiter?: Pick<RequestLimiter, 'gate'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** What judges one chain by a model. */
export interface ModelChainMonitor extends ChainMonitor {
  judge(step: Step, context: JudgeContext): Promise<Verdict>;
  /** Takes note of a step that somebody else has judged. */
  skip(step: Step): void;
}

export interface ModelMonitor extends Monitor {
  watch(problem: Problem): ModelChainMonitor;
}

/**
 * A monitor that asks a model about each step: `llm` and `cascade` with the taxonomy, `vanilla` without (an alarm of
 * it has no type). A reply that cannot be used is asked for once more; then the step is a `monitor_error`.
 */
export function createModelMonitor(spec: ModelMonitorSpec, tools: ModelTools): ModelMonitor {
  let endpoint: ModelEndpoint | undefined;
  const setting: ModelSetting = {
    ...{ spec, tools, prompt: promptOf(spec) },
    endpoint: () => (endpoint ??= createEndpoint(spec, formOf(spec), tools)),
  };
  return {
    version: modelMonitorVersion(spec),
    watch: (problem) => new ModelChain(problem, setting),
  };
}

interface ModelSetting {
  readonly spec: ModelMonitorSpec;
  readonly prompt: string;
  readonly tools: ModelTools;
  /** Made when it is first needed: a key that is missing is no failure of chains that need none. */
  readonly endpoint: () => ModelEndpoint;
}

/** One chain: its steps so far, as text and as input. Each judgement sees those up to its own step. */
class ModelChain implements ModelChainMonitor {
  readonly #setting: ModelSetting;
  readonly #input: ChainInput;
  readonly #steps: Step[] = [];
  readonly #problem: Problem;
  /** Tokens of prompt and problem; counted when a server leaves its own count out. */
  #headTokens: number | undefined;

  constructor(problem: Problem, setting: ModelSetting) {
    this.#setting = setting;
    this.#problem = problem;
    this.#input = new ChainInput(problem, setting.spec.window);
  }

  judge(step: Step, context: JudgeContext): Promise<Verdict> {
    this.skip(step);
    return this.#judgeWithinLimit(step, this.#steps.length, context);
  }

  skip(step: Step): void {
    this.#steps.push(step);
    this.#input.append(step);
  }

  async #judgeWithinLimit(step: Step, count: number, context: JudgeContext): Promise<Verdict> {
    const { spec, tools } = this.#setting;
    const giveBack = await tools.slots.take(context.signal);
    const startedAt = tools.now();
    // Not AbortSignal.any and timeout: they cost more, and leave more behind.
    const limit = withinMs(context.signal, spec.timeouts.totalMs);
    try {
      const judgement = await this.#ask(step, count, { ...context, signal: limit.signal });
      context.signal.throwIfAborted();
      if ('failure' in judgement) this.#warn(judgement.failure);
      return toVerdict(judgement, step.index, Math.max(0, tools.now() - startedAt));
    } finally {
      limit.done();
      giveBack();
    }
  }

  async #ask(step: Step, count: number, context: JudgeContext): Promise<Judgement> {
    const endpoint = this.#endpoint();
    if ('failure' in endpoint) return endpoint;
    const { maxTokens } = this.#setting.spec.config;
    const first = await this.#askOnce(endpoint, step, count, { maxTokens, isRetry: false }, context);
    if (!('failure' in first) || !first.retry || context.signal.aborted) return first;
    const doubled = { maxTokens: first.isCut ? 2 * maxTokens : maxTokens, isRetry: true };
    return this.#askOnce(endpoint, step, count, doubled, context);
  }

  async #askOnce(
    endpoint: ModelEndpoint,
    step: Step,
    count: number,
    { maxTokens, isRetry }: { maxTokens: number; isRetry: boolean },
    context: JudgeContext,
  ): Promise<Judgement> {
    const messages = buildMessages(this.#setting.prompt, this.#input.render(count), { isRetry });
    const question = { messages, maxTokens, promptTokens: () => this.#countShown(count) };
    const end = await askModel(endpoint, question, context);
    const previousSteps = this.#steps.slice(0, count - 1).map(({ text }) => text);
    return readReply(end, { step: step.text, previousSteps, form: endpoint.form });
  }

  #countShown(count: number): number {
    const { spec, prompt } = this.#setting;
    const { query, context = '' } = this.#problem;
    this.#headTokens ??= countTokens(prompt) + countTokens(query) + countTokens(context);
    const shown = this.#steps.slice(stepsLeftOut(count, spec.window ?? Infinity), count);
    return shown.reduce((sum, { tokens }) => sum + tokens, this.#headTokens);
  }

  #warn(reason: string): void {
    const { spec, tools } = this.#setting;
    tools.log.warn({ event: 'judgement-failed', monitor: spec.id, reason }, 'a step could not be judged');
  }

  #endpoint(): ModelEndpoint | (Judgement & { failure: string }) {
    try {
      return this.#setting.endpoint();
    } catch (error) {
      if (!(error instanceof HaltlineError)) throw error;
      return { failure: error.code, retry: false, isCut: false };
    }
  }
}

/** A signal that follows another one, and comes after `ms` at the latest. `done` ends the waiting. */
function withinMs(signal: AbortSignal, ms: number): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(abort, ms);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    done: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
