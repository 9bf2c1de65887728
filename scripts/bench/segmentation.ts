/**
 * What cutting a chain into steps costs, at two sizes: linear means that ten times the text takes ten times as long.
 *
 * `npx tsx scripts/bench/segmentation.ts`
 */
import { createSegmenter } from '../../shared/core/segmentation.ts';

const texts = {
  'one letter': (units: number) => 'a'.repeat(units),
  prose: (units: number) => 'So far we have 12 apples, and 5 more arrive. '.repeat(units / 45),
  'cut back twice': (units: number) =>
    `${'s'.repeat(20)}. ${'w'.repeat(20)} ${'r'.repeat(1_060)} `.repeat(units / 1_104),
  'open fence': (units: number) => `\`\`\`\n${'x = 1\n\n'.repeat(units / 7)}`,
  spaces: (units: number) => `a${' '.repeat(units)}`,
};

for (const [name, build] of Object.entries(texts)) {
  for (const units of [100_000, 1_000_000]) {
    for (const delta of [1, units]) {
      const text = build(units);
      const segmenter = createSegmenter('haltline');
      const startedAt = performance.now();
      let steps = 0;
      for (let place = 0; place < text.length; place += delta) {
        steps += segmenter.push('content', text.slice(place, place + delta)).length;
      }
      steps += segmenter.end().length;
      const ms = performance.now() - startedAt;
      console.log(
        `${name}, ${text.length} units in deltas of ${delta}: ${steps} steps, ${ms.toFixed(0)} ms, ` +
          `${(segmenter.visited / text.length).toFixed(2)} looks a unit`,
      );
    }
  }
}
