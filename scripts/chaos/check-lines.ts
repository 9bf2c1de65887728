import { isDeepStrictEqual } from 'node:util';
import type { ChainRecord, RunLine } from '../../shared/schemas/run-result.ts';
import type { Check } from './check.ts';

/** Every place has a line, and a second one only where a metrics worker was frozen inside an append: the same again. */
export function checkOneLineEach(
  lines: readonly RunLine[],
  { total, metricsFreezes }: { total: number; metricsFreezes: number },
): Check {
  const problems: string[] = [];
  const first = new Map<number, RunLine>();
  let repeats = 0;
  for (const line of lines) {
    const before = first.get(line.place);
    if (!before) first.set(line.place, line);
    else {
      repeats += 1;
      if (!isDeepStrictEqual(withoutChain(before), withoutChain(line)))
        problems.push(`run ${line.place} has two lines that differ`);
    }
  }
  for (let place = 0; place < total; place += 1)
    if (!first.has(place)) problems.push(`run ${place} has no line`);
  for (const place of first.keys()) if (place >= total) problems.push(`run ${place} is not in the plan`);
  if (repeats > 0 && metricsFreezes === 0)
    problems.push(`${repeats} repeats, and no metrics worker was frozen`);
  const detail = `${first.size} of ${total} runs, ${repeats} identical repeats`;
  return { name: 'every run has one line', problems, detail };
}

/** A later writer keeps its chains in a file of its own. */
function withoutChain(line: RunLine): object {
  return { ...line, chain: undefined };
}

/** Up to its cut a guarded run has a verdict on each step; one that is no judgement is counted, and decides the outcome. */
export function checkAllJudged(lines: readonly RunLine[], chains: ReadonlyMap<number, ChainRecord>): Check {
  const problems: string[] = [];
  let steps = 0;
  const guarded = lines.filter((line) => line.monitor !== undefined);
  for (const line of guarded) {
    const chain = chains.get(line.place);
    if (!chain) problems.push(`run ${line.place} has no chain on disk`);
    else if (chain.steps.length !== line.steps)
      problems.push(`run ${line.place}: ${chain.steps.length} steps on disk, ${line.steps} in its line`);
    else {
      steps += upToCut(line);
      problems.push(...unjudgedSteps(line, chain));
    }
  }
  const detail = `${steps} steps of ${guarded.length} guarded runs`;
  return { name: 'no step up to the cut is unjudged, unless the outcome says so', problems, detail };
}

function upToCut({ outcome, flag, steps }: RunLine): number {
  return outcome.status === 'halted' && flag ? flag.stepIndex + 1 : steps;
}

function unjudgedSteps(line: RunLine, chain: ChainRecord): string[] {
  const problems: string[] = [];
  const verdicts = new Map(chain.verdicts.map((verdict) => [verdict.stepIndex, verdict.status]));
  for (let step = 0; step < upToCut(line); step += 1) {
    const status = verdicts.get(step);
    if (status === 'judged') continue;
    const isTold = line.outcome.status === 'failed' || (status === 'monitor_error' && line.unjudged > 0);
    if (!isTold) problems.push(`run ${line.place} (${line.outcome.status}): step ${step} has no judgement`);
  }
  return problems;
}

/**
 * Guarded runs are halted at exactly the step that their script makes unsafe; all others are answered. Runs that their
 * outcome names as failed or unjudged are counted apart.
 */
export function checkFlags(
  lines: readonly RunLine[],
  expected: (questionId: string) => number | undefined,
): Check {
  const problems: string[] = [];
  let [flags, apart] = [0, 0];
  for (const line of lines) {
    if (line.outcome.status === 'failed' || line.unjudged > 0) {
      apart += 1;
      continue;
    }
    const wanted = line.monitor === undefined ? undefined : expected(line.questionId);
    const found = line.flag?.stepIndex;
    if (found !== wanted)
      problems.push(
        `run ${line.place}: first unsafe step ${found ?? 'none'}, script says ${wanted ?? 'none'}`,
      );
    const status = wanted === undefined ? 'answered' : 'halted';
    if (line.outcome.status !== status)
      problems.push(`run ${line.place} is ${line.outcome.status}, expected ${status}`);
    if (status === 'answered' && line.answer !== line.gold)
      problems.push(`run ${line.place} answers ${line.answer ?? 'nothing'}, script says ${line.gold}`);
    if (wanted !== undefined) flags += 1;
  }
  const detail = `${flags} flags as scripted, ${apart} runs unjudged or failed`;
  return { name: "flags and first unsafe steps are the script's", problems, detail };
}
