import { randomUUID } from 'node:crypto';
import type { RedisClient } from './connection.ts';
import { z } from 'zod';
import { type Problem, problemSchema } from '../schemas/problem.ts';
import type { Push } from '../schemas/push.ts';
import { type MonitorUse, monitorUseSchema, type RunResult, runResultSchema } from '../schemas/run-result.ts';
import { type Step, stepSchema } from '../schemas/step.ts';
import { isUnsafe, type Verdict, verdictSchema } from '../schemas/verdict.ts';
import type { Keys } from './keys.ts';
import {
  bookScript,
  commitScript,
  endScript,
  handOverScript,
  lookScript,
  publishScript,
  readScript,
  startScript,
  verdictScript,
  watchScript,
} from './run-scripts.ts';
import type { Reply } from './script.ts';

/** The last resort for keys that nobody deleted: 7 days, renewed by each script. */
const EXPIRY_MS = 7 * 24 * 3600 * 1000;

/** Which run: a sweep's id and a place in its plan. */
export interface RunRef {
  readonly sweep: string;
  readonly place: number;
}

/** Which start of it. Current only while both number and token stand in the run's hash. */
export interface EpochRef extends RunRef {
  readonly epoch: number;
  readonly token: string;
}

/** Why a script had no effect (see run-scripts.ts). */
export type Refusal = 'gone' | 'stale' | 'committed' | 'watcher' | 'index' | 'flag' | 'unjudged';
export interface Refused {
  readonly refused: Refusal;
}

export interface Started {
  readonly epoch: number;
  readonly wasted: number;
  readonly crashed: boolean;
}

/** What stands of an epoch at one moment. `verdicts` are those asked for that exist. */
export interface Look {
  readonly ended: number | undefined;
  readonly flagged: number | undefined;
  readonly watcher: string | undefined;
  readonly steps: readonly Step[];
  readonly verdicts: readonly Verdict[];
  /** Steps of the range asked about that have no verdict. */
  readonly missing: readonly number[];
}

const refusalSchema = z.enum(['gone', 'stale', 'committed', 'watcher', 'index', 'flag', 'unjudged']);
const optionalIndexSchema = z
  .union([z.literal(''), z.coerce.number().int()])
  .transform((value) => (value === '' ? undefined : value));
const jsonOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);
const stepListSchema = z.array(jsonOf(stepSchema));
const startedSchema = z.tuple([z.literal('started'), z.number(), z.number(), z.literal([0, 1])]);
const committedSchema = z.tuple([z.literal('committed'), jsonOf(runResultSchema)]);
const watchingSchema = z.tuple([
  z.literal('watching'),
  jsonOf(problemSchema),
  optionalIndexSchema,
  optionalIndexSchema,
  stepListSchema,
  z.array(z.string()),
]);
const currentSchema = z.tuple([
  z.literal('current'),
  optionalIndexSchema,
  optionalIndexSchema,
  z.string(),
  stepListSchema,
  z.array(z.string()),
  z.array(z.number()),
]);
const amount = z.coerce.number();
const readSchema = z.tuple([
  z.literal('committed'),
  jsonOf(runResultSchema),
  amount,
  amount,
  amount,
  amount,
  stepListSchema,
  z.array(z.string()),
  amount,
]);

function refusalOf(reply: Reply): Refused | undefined {
  return reply[0] === 'refused' ? { refused: refusalSchema.parse(reply[1]) } : undefined;
}

function parseVerdict(text: string): Verdict {
  return verdictSchema.parse(JSON.parse(text));
}

/** The keys of runs: one method a script. `undefined` from a method without a value means: it had its effect. */
export class RunStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  #names(run: RunRef): string[] {
    const keys = this.#keys.run(run.sweep, run.place);
    return [keys.run, keys.steps, keys.verdicts];
  }

  /**
   * Begins an epoch, unless the run is committed: then its result comes back. `wasted` are the tokens of all epochs
   * before it; `crashed`: the worker of one of them neither gave it up nor handed it over.
   */
  async start(
    run: RunRef,
    options: { token: string; generator: string; problem?: Problem; wasted?: number },
  ): Promise<Started | { result: RunResult }> {
    const reply = await startScript.run(this.#redis, this.#names(run), [
      options.token,
      options.generator,
      this.#keys.channel(options.generator),
      options.problem ? JSON.stringify(options.problem) : '',
      options.wasted ?? '',
      EXPIRY_MS,
    ]);
    if (reply[0] === 'committed') return { result: committedSchema.parse(reply)[1] };
    const [, epoch, wasted, crashed] = startedSchema.parse(reply);
    return { epoch, wasted, crashed: crashed === 1 };
  }

  /** Leaves the run to another worker, without a crash: `tokens` of this epoch were received for nothing. */
  async handOver(epoch: EpochRef, tokens: number): Promise<Refused | undefined> {
    const args = [epoch.epoch, epoch.token, tokens, EXPIRY_MS];
    return refusalOf(await handOverScript.run(this.#redis, this.#names(epoch), args));
  }

  async watch(epoch: EpochRef, watcher: string): Promise<Refused | (Look & { problem: Problem })> {
    const push: Push = { type: 'watch-started', ...about(epoch), watcher };
    const reply = await watchScript.run(this.#redis, this.#names(epoch), [
      epoch.epoch,
      epoch.token,
      watcher,
      this.#keys.channel(watcher),
      JSON.stringify(push),
      EXPIRY_MS,
    ]);
    const refused = refusalOf(reply);
    if (refused) return refused;
    const [, problem, ended, flagged, steps, flat] = watchingSchema.parse(reply);
    const verdicts = flat.filter((_, i) => i % 2 === 1).map(parseVerdict);
    return { problem, ended, flagged, watcher, steps, verdicts, missing: [] };
  }

  /**
   * Appends steps; with `ended`, the number of all steps, these are the last. Refused as `index` when they do not follow
   * each other and those that stand.
   */
  async publish(
    epoch: EpochRef,
    steps: readonly Step[],
    { ended }: { readonly ended?: number } = {},
  ): Promise<Refused | undefined> {
    const first = steps[0];
    if (!first) return undefined;
    if (steps.some((step, i) => step.index !== first.index + i)) return { refused: 'index' };
    return refusalOf(
      await publishScript.run(this.#redis, this.#names(epoch), [
        epoch.epoch,
        epoch.token,
        first.index,
        EXPIRY_MS,
        ended ?? '',
        openPush({ type: 'steps-completed', ...about(epoch) }, 'steps'),
        ...steps.map((step) => JSON.stringify(step)),
      ]),
    );
  }

  async end(epoch: EpochRef, steps: number): Promise<Refused | undefined> {
    const push: Push = { type: 'steps-ended', ...about(epoch), steps };
    return refusalOf(
      await endScript.run(this.#redis, this.#names(epoch), [
        epoch.epoch,
        epoch.token,
        steps,
        JSON.stringify(push),
        EXPIRY_MS,
      ]),
    );
  }

  /** `author` is the watcher's id, or `generator` (which writes `monitor_error` only). */
  async issueVerdicts(
    epoch: EpochRef,
    author: { watcher: string } | 'generator',
    verdicts: readonly Verdict[],
  ): Promise<Refused | undefined> {
    if (verdicts.length === 0) return undefined;
    const entries = verdicts.flatMap((verdict) => [
      verdict.stepIndex,
      isUnsafe(verdict) ? '1' : '0',
      JSON.stringify(verdict),
    ]);
    return refusalOf(
      await verdictScript.run(this.#redis, this.#names(epoch), [
        epoch.epoch,
        epoch.token,
        author === 'generator' ? '' : author.watcher,
        EXPIRY_MS,
        openPush({ type: 'verdicts-issued', ...about(epoch) }, 'verdicts'),
        ...entries,
      ]),
    );
  }

  /**
   * What stands of the epoch now: at most `maxSteps` steps from `fromStep` on, the verdicts asked for, and which steps of
   * a range (its end not in it) have none: a few numbers, where their verdicts would be kilobytes.
   */
  async look(
    epoch: EpochRef,
    options: {
      fromStep: number;
      maxSteps: number;
      verdictsOf?: readonly number[];
      missingIn?: { from: number; to: number };
    },
  ): Promise<Refused | Look> {
    const { verdictsOf = [], missingIn = { from: 0, to: 0 } } = options;
    const reply = await lookScript.run(this.#redis, this.#names(epoch), [
      epoch.epoch,
      epoch.token,
      options.fromStep,
      options.maxSteps,
      missingIn.from,
      missingIn.to,
      ...verdictsOf,
    ]);
    const refused = refusalOf(reply);
    if (refused) return refused;
    const [, ended, flagged, watcher, steps, texts, missing] = currentSchema.parse(reply);
    const verdicts = texts.filter((text) => text !== '').map(parseVerdict);
    return { ended, flagged, watcher: watcher === '' ? undefined : watcher, steps, verdicts, missing };
  }

  /** Adds what a monitor call cost. `gone` when the run is on disk already: book it on the sweep then. */
  async book(run: RunRef, use: MonitorUse): Promise<Refused | undefined> {
    return refusalOf(
      await bookScript.run(this.#redis, this.#names(run), [
        randomUUID().replaceAll('-', '').slice(0, 16),
        use.calls,
        use.tokensIn,
        use.tokensOut,
        use.tokensCached,
        EXPIRY_MS,
        use.simulatedCalls ?? 0,
      ]),
    );
  }

  async commit(
    epoch: EpochRef,
    options: { mode: 'unguarded' | 'halt' | 'flag'; flagged: number | undefined; result: RunResult },
  ): Promise<Refused | undefined> {
    const push: Push = { type: 'run-committed', ...about(epoch) };
    return refusalOf(
      await commitScript.run(this.#redis, this.#names(epoch), [
        epoch.epoch,
        epoch.token,
        options.mode,
        options.flagged ?? '',
        JSON.stringify(runResultSchema.parse(options.result)),
        JSON.stringify(push),
        EXPIRY_MS,
      ]),
    );
  }

  /** A committed run whole, for writing it to disk; undefined when its keys are gone or it is not committed. */
  async read(run: RunRef): Promise<CommittedRun | undefined> {
    const reply = await readScript.run(this.#redis, this.#names(run), []);
    if (reply[0] === 'open') return undefined;
    const [, result, ...read] = readSchema.parse(reply);
    const [calls, tokensIn, tokensOut, tokensCached, steps, verdicts, simulatedCalls] = read;
    const use = { calls, tokensIn, tokensOut, tokensCached };
    return {
      result,
      monitorUse: monitorUseSchema.parse({ ...use, ...(simulatedCalls > 0 && { simulatedCalls }) }),
      steps,
      verdicts: verdicts.map(parseVerdict).sort((a, b) => a.stepIndex - b.stepIndex),
    };
  }

  async delete(run: RunRef): Promise<void> {
    await this.#redis.unlink(...this.#names(run));
  }
}

export interface CommittedRun {
  readonly result: RunResult;
  readonly monitorUse: MonitorUse;
  readonly steps: readonly Step[];
  readonly verdicts: readonly Verdict[];
}

function about(epoch: EpochRef): { sweep: string; place: number; epoch: number } {
  return { sweep: epoch.sweep, place: epoch.place, epoch: epoch.epoch };
}

/** A push up to the list in it, which the script ends: what it holds is known there alone, and sent once. */
function openPush(head: Pick<Push, 'type' | 'sweep' | 'place' | 'epoch'>, list: string): string {
  return `${JSON.stringify(head).slice(0, -1)},"${list}":[`;
}
