import type { Summary } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';

/** What of some figures the simulator has played. */
export interface SimulatedParts {
  readonly chains: boolean;
  /** Ids of the monitors whose verdicts it has given. */
  readonly monitors: readonly string[];
}

/** A summary that does not say whose (of an older version) is taken to speak of its chains. */
export function simulatedIn({ simulated, targets, monitors }: Summary): SimulatedParts {
  const played = monitors.filter((monitor) => monitor.simulated === true).map(({ id }) => id);
  const chains = targets.some((target) => target.simulated === true) || (simulated && played.length === 0);
  return { chains, monitors: played };
}

/** The lines that stand above every table with simulated figures, an empty one after them; none where nothing is. */
export function simulatedHead({ chains, monitors }: SimulatedParts): string[] {
  const names = monitors.map(terminalText).join(', ');
  const lines = [
    ...(chains
      ? ['SIMULATED: these runs come from the simulator; the figures say nothing about any model']
      : []),
    ...(monitors.length > 0
      ? [
          `SIMULATED MONITOR: the verdicts of ${names} come from the simulator; they say nothing about any model`,
        ]
      : []),
  ];
  return lines.length > 0 ? [...lines, ''] : [];
}
