import type { RunLine } from '../../shared/schemas/run-result.ts';
import type { Check } from './check.ts';

/** What the target's log says of one request. Times are Unix epoch milliseconds. */
export interface LoggedRequest {
  readonly messagesHash: string;
  readonly seed: number | null;
  readonly receivedAtMs: number;
  readonly closedAtMs: number;
  readonly closed: 'finished' | 'client' | 'fault';
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
