import { createRequire } from 'node:module';
import { z } from 'zod';

interface Compiled {
  evaluate(scope: ReadonlyMap<string, number>): unknown;
}
const mathjsSchema = z.object({
  parse: z.custom<(text: string) => { compile(): Compiled }>((value) => typeof value === 'function'),
});
export type Mathjs = z.infer<typeof mathjsSchema>;

let loaded: Mathjs | undefined;

/** Mathjs over plain numbers. It takes half a second and 50 MB to load, so the first caller loads it. */
export function loadMathjs(): Mathjs {
  loaded ??= mathjsSchema.parse(createRequire(import.meta.url)('mathjs/number'));
  return loaded;
}
