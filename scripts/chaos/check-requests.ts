import type { RunLine } from '../../shared/schemas/run-result.ts';
import type { Check } from './check.ts';

/** What the target's log says of one request. Times are Unix epoch milliseconds. */
export interface LoggedRequest {
  readonly messagesHash: string;
  readonly seed: number | null;
  readonly receivedAtMs: number;
  readonly closedAtMs: number;
  readonly closed: 'finished' | 'client' | 'fault';
  readonly tokensWritten: number;
}

/** Clocks of two processes of one machine, rounded to a millisecond. */
const ROUNDING_MS = 5;

/**
 * Each committed epoch has a request of its own in the target's log, one that was received after the epoch's start and,
 * for an answered run, ran to its end. What was asked beyond that was asked by epochs that were given up: no more
 * requests than those.
 */
export function checkRequests(lines: readonly RunLine[], requests: readonly LoggedRequest[]): Check {
  const problems: string[] = [];
  const asked = groupBy(requests, ({ messagesHash, seed }) => `${messagesHash}/${seed ?? ''}`);
  const committed = groupBy(lines, ({ messagesHash, seed }) => `${messagesHash}/${seed}`);
  let extra = 0;
  for (const [key, runs] of committed) {
    const group = asked.get(key) ?? [];
    const abandoned = runs.reduce((sum, { epoch }) => sum + epoch - 1, 0);
    problems.push(...matchRuns(runs, group));
    extra += Math.max(0, group.length - runs.length);
    if (group.length > runs.length + abandoned) {
      const places = runs.map(({ place }) => place).join(', ');
      problems.push(
        `runs ${places}: ${group.length} requests, ${runs.length} committed, ${abandoned} given up`,
      );
    }
  }
  for (const [key, group] of asked)
    if (!committed.has(key)) problems.push(`${group.length} requests belong to no run`);
  const abandoned = lines.reduce((sum, { epoch }) => sum + epoch - 1, 0);
  const detail = `${requests.length} requests for ${lines.length} runs, ${extra} by the ${abandoned} epochs given up`;
  return { name: 'each committed epoch has one request', problems, detail };
}

/** The arms of one question begin within milliseconds of each other, so requests are given out by augmenting paths. */
function matchRuns(runs: readonly RunLine[], group: readonly LoggedRequest[]): string[] {
  const takenBy = new Map<LoggedRequest, RunLine>();
  const take = (run: RunLine, tried: Set<LoggedRequest>): boolean => {
    for (const request of group) {
      if (tried.has(request) || !mayBelong(run, request)) continue;
      tried.add(request);
      const holder = takenBy.get(request);
      if (holder && !take(holder, tried)) continue;
      takenBy.set(request, run);
      return true;
    }
    return false;
  };
  return runs
    .filter((run) => run.timing.latencyMs !== undefined && !take(run, new Set()))
    .map(({ place, epoch }) => `run ${place}, epoch ${epoch}: no request of its own`);
}

/**
 * What epochs that were given up had received is booked as wasted: all of it where a worker handed its run over or began
 * it anew, and what was published where it was killed. Nothing is booked of a run that began once.
 */
export function checkWasted(lines: readonly RunLine[], requests: readonly LoggedRequest[]): Check {
  const problems = lines
    .filter(({ epoch, tokens }) => epoch === 1 && tokens.wasted > 0)
    .map(({ place }) => `run ${place} began once, and has wasted tokens`);
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const wasted = sum(lines.map(({ tokens }) => tokens.wasted));
  const kept = sum(lines.map(({ tokens: { reasoning, answer, content } }) => reasoning + answer + content));
  const written = sum(requests.map(({ tokensWritten }) => tokensWritten));
  const givenUp = sum(lines.map(({ epoch }) => epoch - 1));
  if (wasted > written) problems.push(`${wasted} tokens are booked as wasted, ${written} were sent in all`);
  if (wasted === 0 && written > 2 * kept) problems.push(`nothing is booked of ${givenUp} epochs given up`);
  const detail = `${wasted} tokens of ${givenUp} epochs; ${written} were sent (as the server counts), ${kept} are in results`;
  return { name: 'what was given up is booked as wasted', problems, detail };
}

function mayBelong({ timing, outcome }: RunLine, { receivedAtMs, closed }: LoggedRequest): boolean {
  const isWhole = outcome.status !== 'answered' || closed === 'finished';
  return isWhole && receivedAtMs >= timing.startedAtMs - ROUNDING_MS;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
