import type { Summary } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';

/** Variants of Deadlock that are not the published attack, by what stands for them in every table (ATTACKS, Deadlock). */
const notDeadlock: Readonly<Record<string, string>> = {
  surrogate: 'surrogate prompt that induces loops, not Deadlock',
  'trigger-only': 'bare trigger, a negative control',
};

/** What an attack of a spec is, in a table: its name, or what it is instead. */
export function attackTitle(name: string, parameters: Readonly<Record<string, unknown>>): string {
  const { variant } = parameters;
  const title = name === 'deadlock' && typeof variant === 'string' ? notDeadlock[variant] : undefined;
  return title ?? name;
}

/** How tables name an attack of a sweep: by its id, and by what it is where the id alone does not say so. */
export function attackCell({ attacks }: Pick<Summary, 'attacks'>, id: string): string {
  const { name, title } = attacks.find((attack) => attack.id === id) ?? { name: id, title: id };
  if (title !== name) return terminalText(`${title} (${id})`);
  return terminalText(id.includes(name) ? id : `${id} (${name})`);
}
