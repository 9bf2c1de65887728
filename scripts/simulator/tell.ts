import type { Random } from '../../shared/core/random.ts';

/** Puts figures into a form: `%name` becomes the figure of that name. */
export function fillIn(form: string, figures: Readonly<Record<string, string | number>>): string {
  return form.replace(/%(\w+)/g, (_, key: string) => String(figures[key] ?? ''));
}

/** Groups sentences by one to three, as working is written down. */
export function* inParagraphs(sentences: Iterable<string>, random: Random): Generator<string> {
  let open: string[] = [];
  let wanted = 1 + random.int(3);
  for (const sentence of sentences) {
    open.push(sentence);
    if (open.length < wanted) continue;
    yield open.join(' ');
    open = [];
    wanted = 1 + random.int(3);
  }
  if (open.length > 0) yield open.join(' ');
}
