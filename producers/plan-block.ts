import { createRandom } from '../shared/core/random.ts';
import { hashJson, seedFrom } from '../shared/hash.ts';
import type { Arm } from '../shared/schemas/arm.ts';
import {
  type CaseEntry,
  type ChatMessage,
  type GenerationJob,
  MESSAGE_VERSION,
} from '../shared/schemas/job.ts';
import type { Problem } from '../shared/schemas/problem.ts';
import type { ExtractorName, Question } from '../shared/schemas/question.ts';
import type { MonitorSpec, SweepSpec, TargetSpec } from '../shared/schemas/sweep-spec.ts';
import type { AttackCase } from './attacks/attack.ts';
import { type Condition, renderMessages, renderViews } from './attacks/spans.ts';
import type { SpecAttack } from './load-spec.ts';
import { withoutAddress } from './sweep-id.ts';

/** A question with its place in the sweep. */
export interface PlanQuestion {
  readonly question: Question;
  /** The data set's id in the spec. */
  readonly dataset: string;
  readonly extractor: ExtractorName;
  /** Its number over all data sets. */
  readonly cluster: number;
}

/** One arm of one case before it has a place: what is asked, and who watches. */
interface ArmDraft {
  readonly attack: string;
  readonly attackCase: AttackCase;
  readonly arm: Arm;
  readonly messages: readonly ChatMessage[];
  readonly promptEmbeds?: string;
  readonly guard?: { readonly monitor: MonitorSpec; readonly problem: Problem };
  /** Equal for arms that ask the same of the same target: they are one run. */
  readonly key: string;
}

export interface PlanSettings {
  readonly sweep: string;
  readonly spec: SweepSpec;
  readonly attacks: readonly SpecAttack[];
  /** Monitor id to the version of its code and prompts. */
  readonly monitorVersions: Readonly<Record<string, string>>;
}

/** A question under every attack, arm and monitor of the spec: the same for all targets and repeats. */
export interface QuestionDraft {
  readonly arms: readonly ArmDraft[];
  /** The distinct runs of a block of this question. */
  readonly keys: readonly string[];
}

const conditionOf: Readonly<Record<Arm, Condition>> = {
  clean: 'clean',
  'guarded-clean': 'clean',
  attacked: 'attacked',
  guarded: 'attacked',
  control: 'control',
};

/** Renders a question under every attack. The attack's seed knows neither target nor repeat, so one rendering serves all. */
export function draftQuestion(settings: PlanSettings, planned: PlanQuestion): QuestionDraft {
  const { spec } = settings;
  const arms = settings.attacks.flatMap(({ id, attack, parameters }) => {
    const seed = [String(spec.seed), id, planned.dataset, planned.question.id].join('/');
    const attackCase = attack.render(planned.question, parameters, seed);
    return spec.arms
      .filter((arm) => arm !== 'control' || attackCase.hasControl)
      .flatMap((arm) => draftArms(settings, { attack: id, attackCase, arm }));
  });
  return { arms, keys: [...new Set(arms.map(({ key }) => key))] };
}

function draftArms(
  { spec, monitorVersions }: PlanSettings,
  entry: Pick<ArmDraft, 'attack' | 'attackCase' | 'arm'>,
): ArmDraft[] {
  const condition = conditionOf[entry.arm];
  const messages = renderMessages(entry.attackCase, condition);
  const promptEmbeds = condition === 'control' ? undefined : entry.attackCase.promptEmbeds?.[condition];
  const asked = { messages, ...(promptEmbeds === undefined ? {} : { promptEmbeds }) };
  if (entry.arm !== 'guarded' && entry.arm !== 'guarded-clean') {
    return [{ ...entry, ...asked, key: hashJson(asked) }];
  }
  return spec.monitors.map((monitor) => {
    const problem = renderViews(entry.attackCase, condition)[monitor.sees];
    const guard = {
      monitor: withoutAddress(monitor),
      version: monitorVersions[monitor.id],
      problem,
      intervention: spec.intervention,
      fail: spec.fail,
      attachTimeoutMs: spec.monitor.attachTimeoutMs,
      stepTimeoutMs: spec.monitor.stepTimeoutMs,
    };
    return { ...entry, ...asked, guard: { monitor, problem }, key: hashJson({ ...asked, guard }) };
  });
}

export interface BlockPosition {
  readonly planned: PlanQuestion;
  readonly target: TargetSpec;
  readonly repeat: number;
  /** The place of the block's first run. */
  readonly firstPlace: number;
}

/** The jobs of one block (question × target × repeat), in the order of their places. */
export function buildBlock(
  settings: PlanSettings,
  draft: QuestionDraft,
  position: BlockPosition,
): GenerationJob[] {
  const { planned, target, repeat, firstPlace } = position;
  const where = [String(settings.spec.seed), target.id, planned.dataset, planned.question.id, repeat];
  const order = createRandom(['order', ...where].join('/')).shuffle(draft.keys);
  const places = new Map(order.map((key, index) => [key, firstPlace + index]));
  const placeOf = (attack: string, arm: Arm): number | undefined => {
    const found = draft.arms.find((candidate) => candidate.attack === attack && candidate.arm === arm);
    return found && places.get(found.key);
  };
  return order.map((key, index) => {
    const drafts = draft.arms.filter((arm) => arm.key === key);
    const cases = drafts.map((arm) => caseEntry(arm, position, placeOf));
    return buildJob(settings, { drafts, cases, position, place: firstPlace + index, seed: seedFrom(where) });
  });
}

function caseEntry(
  { attack, attackCase, arm }: ArmDraft,
  { planned, target, repeat }: BlockPosition,
  placeOf: (attack: string, arm: Arm) => number | undefined,
): CaseEntry {
  const clean = arm === 'clean' ? undefined : placeOf(attack, 'clean');
  // What innocent traffic costs under a monitor is compared with innocent traffic alone.
  const attacked = arm === 'guarded' || arm === 'control' ? placeOf(attack, 'attacked') : undefined;
  return {
    caseId: [attack, target.id, planned.dataset, planned.question.id, String(repeat)].join('/'),
    attack,
    dataset: planned.dataset,
    arm,
    cluster: planned.cluster,
    ...(attackCase.targetAnswer === undefined ? {} : { targetAnswer: attackCase.targetAnswer }),
    ...(attackCase.backdoorStep === undefined ? {} : { backdoorStep: attackCase.backdoorStep }),
    ...(clean === undefined ? {} : { clean }),
    ...(attacked === undefined ? {} : { attacked }),
  };
}

interface JobInput {
  /** The arms that this run serves, one at least; equal in what is asked. */
  readonly drafts: readonly ArmDraft[];
  readonly cases: CaseEntry[];
  readonly position: BlockPosition;
  readonly place: number;
  readonly seed: number;
}

function buildJob(
  { sweep, spec, monitorVersions }: PlanSettings,
  { drafts, cases, position, place, seed }: JobInput,
): GenerationJob {
  const { planned, target, repeat } = position;
  const [draft] = drafts;
  if (!draft) throw new Error(`no arm asks for place ${String(place)}`);
  const { question } = planned;
  return {
    v: MESSAGE_VERSION,
    sweep,
    place,
    runId: runIdOf(spec, target, { key: draft.key, seed, repeat }),
    target: target.id,
    messages: [...draft.messages],
    ...(draft.promptEmbeds === undefined ? {} : { promptEmbeds: draft.promptEmbeds }),
    decoding: target.decoding,
    seed,
    repeat,
    questionId: question.id,
    dataset: planned.dataset,
    extractor: planned.extractor,
    ...(question.choices === undefined ? {} : { choices: question.choices }),
    gold: question.answer,
    cases,
    ...(draft.guard === undefined
      ? {}
      : {
          guard: {
            monitor: draft.guard.monitor.id,
            version: monitorVersions[draft.guard.monitor.id] ?? '',
            problem: draft.guard.problem,
          },
        }),
  };
}

/** 32 hex digits over what was asked: how runs are recognised in other sweeps. */
function runIdOf(
  spec: SweepSpec,
  { id, config, think, harmony, decoding }: TargetSpec,
  asked: { key: string; seed: number; repeat: number },
): string {
  const { model, revision, api, extraBody } = config;
  const target = { id, model, revision, api, extraBody, think, harmony };
  return hashJson({ target, decoding, segmentation: spec.segmentation, ...asked }).slice(0, 32);
}
