import type { Check } from './check.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { type LogEntry, readLogOf, type Woken } from './frozen-work.ts';

const refusals: readonly unknown[] = ['zombie-refused', 'lease-lost'];

export interface WokenOptions {
  readonly least: number;
  readonly lines: readonly RunLine[];
  readonly readLog?: (process: Woken) => Promise<LogEntry[]>;
}

/**
 * Every worker that woke with work in another's hands was refused there, as its own log says, piece by piece; and there
 * were at least so many pieces.
 */
export async function checkWoken(
  woken: readonly Woken[],
  { least, lines, readLog = readLogOf }: WokenOptions,
): Promise<Check> {
  const problems: string[] = [];
  const epochs = new Map(lines.map(({ place, epoch }) => [place, epoch]));
  let count = 0;
  for (const one of woken) {
    const refused = (await readLog(one)).filter(
      ({ event, time }) => refusals.includes(event) && Date.parse(String(time)) >= one.wokenAtMs,
    );
    const begunAnew = one.gone.filter(({ key, epoch }) => {
      const last = epochs.get(placeOf(key) ?? -1);
      return epoch !== undefined && last !== undefined && last > epoch;
    });
    const taken = [...one.taken, ...begunAnew];
    count += taken.length;
    for (const { key } of taken)
      if (!refused.some((entry) => isOf(entry, key)))
        problems.push(`${one.kind} ${one.pid} woke with ${key} in another's hands, and nothing refused it`);
  }
  if (count < least) problems.push(`${count} pieces of work were taken over, expected at least ${least}`);
  const held = woken.reduce((sum, one) => sum + one.held, 0);
  const detail = `${woken.length} woken; of ${held} runs, watches and leases they held, ${count} were another's by then`;
  return { name: "each woken worker was refused what was another's", problems, detail };
}

/** A lease's refusal is of its sweep alone, and there is one. */
function isOf({ event, place }: LogEntry, key: string): boolean {
  return event === 'lease-lost' || placeOf(key) === place;
}

function placeOf(key: string): number | undefined {
  const place = /\/(\d+)\}:/.exec(key)?.[1];
  return place === undefined ? undefined : Number(place);
}
