import type { Attack } from './attack.ts';
import { badChain } from './badchain.ts';
import { deadlock } from './deadlock.ts';
import { overThink } from './overthink.ts';
import { paa } from './paa.ts';

const attacks: ReadonlyMap<string, Attack> = new Map<string, Attack>(
  [badChain, deadlock, overThink, paa].map((attack: Attack): [string, Attack] => [attack.name, attack]),
);

/** The names that a spec may use, in alphabetical order. */
export const attackNames: readonly string[] = [...attacks.keys()].sort();

/**
 * @returns the attack of this name, or undefined. Its parameters are to be parsed with its own schema before they are
 *   given to `render`
 */
export function findAttack(name: string): Attack | undefined {
  return attacks.get(name);
}
