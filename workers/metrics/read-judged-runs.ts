import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { type VerdictType, verdictTypes } from '../../shared/core/taxonomy.ts';
import type { MonitorUse, RunLine } from '../../shared/schemas/run-result.ts';
import { readRunLines } from './run-lines.ts';

/** What is read of a verdict here. It was checked in full when it was issued, and there are many. */
const verdictSchema = z.object({
  status: z.enum(['judged', 'monitor_error']),
  stepIndex: z.int().nonnegative(),
  durationMs: z.number().nonnegative(),
  errorDetected: z.exactOptional(z.boolean()),
  errorType: z.exactOptional(z.enum(verdictTypes)),
});
type Verdict = z.infer<typeof verdictSchema>;
const recordSchema = z.object({ place: z.int().nonnegative(), verdicts: z.array(verdictSchema) });

/** What a monitor said of the chain at one place, and what that took. */
export interface JudgedRun {
  readonly place: number;
  /** The first flagged step. */
  readonly flag: { readonly stepIndex: number; readonly errorType: VerdictType } | undefined;
  /** Why no figure may count the run: `unjudged` when a step before the first flag (or any, without one) was not judged. */
  readonly dropped: 'failed' | 'monitorError' | 'unjudged' | undefined;
  readonly steps: number;
  /** Steps with a judgement, and the time that judging them took, in milliseconds. */
  readonly judgedSteps: number;
  readonly judgingMs: number;
  readonly use: MonitorUse;
}

/** Reads the guarded runs of a sweep folder with their verdicts, in the order of their chains. The first line of a place counts. */
export async function readJudgedRuns(dir: string): Promise<JudgedRun[]> {
  const lines = new Map<number, RunLine>();
  for await (const { line } of readRunLines(join(dir, 'runs.jsonl'))) {
    if (line?.monitor !== undefined && !lines.has(line.place)) lines.set(line.place, line);
  }
  const runs: JudgedRun[] = [];
  for (const file of new Set([...lines.values()].map(({ chain }) => chain.file))) {
    for await (const { place, verdicts } of readRecords(join(dir, file))) {
      const line = lines.get(place);
      if (line?.chain.file !== file) continue;
      lines.delete(place);
      runs.push(judgedRun(line, verdicts));
    }
  }
  return runs;
}

async function* readRecords(path: string): AsyncGenerator<z.infer<typeof recordSchema>> {
  const input = createReadStream(path).pipe(createGunzip());
  for await (const text of createInterface({ input, crlfDelay: Infinity })) {
    if (text !== '') yield recordSchema.parse(JSON.parse(text));
  }
}

function judgedRun(line: RunLine, verdicts: readonly Verdict[]): JudgedRun {
  const flag = firstFlag(verdicts);
  const judged = verdicts.filter(({ status }) => status === 'judged');
  return {
    place: line.place,
    flag,
    dropped: dropReason(line, verdicts, flag?.stepIndex ?? Infinity),
    steps: line.steps,
    judgedSteps: judged.length,
    judgingMs: judged.reduce((sum, { durationMs }) => sum + durationMs, 0),
    use: line.monitorUse,
  };
}

function firstFlag(verdicts: readonly Verdict[]): JudgedRun['flag'] {
  let first: JudgedRun['flag'];
  for (const { errorDetected, errorType, stepIndex } of verdicts) {
    if (errorDetected !== true || errorType === undefined) continue;
    if (stepIndex < (first?.stepIndex ?? Infinity)) first = { stepIndex, errorType };
  }
  return first;
}

function dropReason(
  { outcome }: RunLine,
  verdicts: readonly Verdict[],
  flagged: number,
): JudgedRun['dropped'] {
  if (outcome.status === 'failed') return 'failed';
  if (outcome.status === 'halted' && outcome.reason === 'monitor_error') return 'monitorError';
  const isBlind = verdicts.some(({ status, stepIndex }) => status === 'monitor_error' && stepIndex < flagged);
  return isBlind ? 'unjudged' : undefined;
}
