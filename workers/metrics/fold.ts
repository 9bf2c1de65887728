import type { RunLine } from '../../shared/schemas/run-result.ts';
import { Spending, type SpendingGroup } from './cost.ts';
import { factsOf, type OutcomeName } from './run-facts.ts';
import { Row, rowName, type RowKey } from './row.ts';
import { RunTable } from './run-table.ts';

/** A group of runs that Prometheus counts: without the attack, so that the counts add up to the number of lines. */
export interface RunGroup {
  readonly target: string;
  readonly dataset: string;
  readonly arm: string;
  readonly monitor: string | undefined;
  readonly outcome: OutcomeName;
  runs: number;
}

/**
 * The lines of a sweep, folded one by one into what its figures need. The first line of a place counts; what follows is
 * a repeat. Lines themselves are not kept.
 */
export class Fold {
  readonly runs = new RunTable();
  readonly rows = new Map<string, Row>();
  readonly groups = new Map<string, RunGroup>();
  /** Each run once. */
  readonly spending = new Map<string, SpendingGroup>();
  readonly outcomes: Record<string, number> = {};
  readonly generators: Record<string, number> = {};
  readonly watchers: Record<string, number> = {};
  /** Per target: whether any run showed reasoning text, and whether usage reported reasoning tokens. */
  readonly reasoningSeen = new Map<string, { visible: boolean; hidden: boolean }>();
  lines = 0;
  repeats = 0;
  unreadableLines = 0;
  crashRestarts = 0;
  reused = 0;
  /** Targets whose chains came from the simulator, any of them, and monitors whose verdicts did. */
  readonly simulatedTargets = new Set<string>();
  readonly simulatedMonitors = new Set<string>();

  /** Whether anything of the sweep came from the simulator. */
  get simulated(): boolean {
    return this.simulatedTargets.size + this.simulatedMonitors.size > 0;
  }

  /** @returns false when the line repeats a place, and nothing but the count of repeats has changed */
  add(line: RunLine): boolean {
    if (this.runs.has(line.place)) {
      this.repeats += 1;
      return false;
    }
    const facts = factsOf(line);
    this.runs.set(line.place, facts);
    this.#count(line, facts.outcome);
    for (const entry of line.cases) {
      this.#row({
        target: line.target,
        attack: entry.attack,
        dataset: entry.dataset,
        arm: entry.arm,
        monitor: line.monitor,
      }).add(line, entry, facts);
    }
    return true;
  }

  #count(line: RunLine, outcome: OutcomeName): void {
    this.lines += 1;
    if (line.simulated) this.simulatedTargets.add(line.target);
    if (line.monitor !== undefined && (line.monitorUse.simulatedCalls ?? 0) > 0)
      this.simulatedMonitors.add(line.monitor);
    if (line.timing.crashRestart) this.crashRestarts += 1;
    if (line.reusedFrom !== undefined) this.reused += 1;
    increase(this.outcomes, outcome);
    increase(this.generators, line.generator);
    if (line.watcher !== undefined) increase(this.watchers, line.watcher);
    const seen = this.reasoningSeen.get(line.target) ?? { visible: false, hidden: false };
    seen.visible ||= line.tokens.reasoning > 0;
    seen.hidden ||= (line.usage?.reasoningTokens ?? 0) > 0;
    this.reasoningSeen.set(line.target, seen);
    this.#group(line, outcome).runs += 1;
    this.#spend(line);
  }

  /** A run counts in one group, even where its cases give it several arms: the first case names it. */
  #group({ target, dataset, monitor, cases }: RunLine, outcome: OutcomeName): RunGroup {
    const arm = cases[0]?.arm ?? 'clean';
    const name = [target, dataset, arm, monitor ?? '', outcome].join('|');
    const group = this.groups.get(name) ?? { target, dataset, arm, monitor, outcome, runs: 0 };
    this.groups.set(name, group);
    return group;
  }

  #spend(line: RunLine): void {
    const name = `${line.target}|${line.monitor ?? ''}`;
    const { target, monitor } = line;
    const group = this.spending.get(name) ?? { target, monitor, spending: new Spending() };
    group.spending.add(line);
    this.spending.set(name, group);
  }

  #row(key: RowKey): Row {
    const name = rowName(key);
    const row = this.rows.get(name) ?? new Row(key, this.runs);
    this.rows.set(name, row);
    return row;
  }
}

function increase(record: Record<string, number>, name: string): void {
  record[name] = (record[name] ?? 0) + 1;
}
