import type { Summary } from '../../schemas/summary.ts';
import { terminalText } from '../terminal-text.ts';

/** Variants that are not the published attack of that name, by what stands for them in every table (ATTACKS.md). */
const variantTitles: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  deadlock: {
    surrogate: 'surrogate prompt that induces loops, not Deadlock',
    'trigger-only': 'bare trigger, a negative control',
  },
  paa: { 'answer-first': 'answer asked for first, none planted' },
};

/** What an attack of a spec is, in a table: its name, or what it is instead. */
export function attackTitle(name: string, parameters: Readonly<Record<string, unknown>>): string {
  const { variant } = parameters;
  const titles = Object.hasOwn(variantTitles, name) ? variantTitles[name] : undefined;
  return (typeof variant === 'string' ? titles?.[variant] : undefined) ?? name;
}

/** How tables name an attack of a sweep: by its id, and by what it is where the id alone does not say so. */
export function attackCell({ attacks }: Pick<Summary, 'attacks'>, id: string): string {
  const { name, title } = attacks.find((attack) => attack.id === id) ?? { name: id, title: id };
  if (title !== name) return terminalText(`${title} (${id})`);
  return terminalText(id.includes(name) ? id : `${id} (${name})`);
}
