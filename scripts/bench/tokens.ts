/**
 * What counting tokens costs: loading the vocabulary, then milliseconds a KB on ordinary and on hostile text.
 *
 * `npx tsx scripts/bench/tokens.ts`
 */
import { createRandom } from '../../shared/core/random.ts';

const before = { rss: process.memoryUsage().rss, ms: performance.now() };
const { countTokens } = await import('../../shared/core/tokens.ts');
console.log(
  `import: ${(performance.now() - before.ms).toFixed(0)} ms, ${((process.memoryUsage().rss - before.rss) / 1e6).toFixed(0)} MB`,
);

const random = createRandom('bench tokens');
const units = 200_000;
const fill = (part: () => string): string => {
  let text = '';
  while (text.length < units) text += part();
  return text;
};
const english = [
  'Let',
  'me',
  'compute',
  'the',
  'remaining',
  'apples:',
  '17',
  '-',
  '5',
  '=',
  '12.',
  'Wait,',
  'therefore',
];
const chinese = ['我们先计算', '剩下的苹果，', '一共有', '十二个。', '然后检查', '每一步是否', '合理；'];
const texts = {
  english: fill(() => `${random.pick(english)} `),
  chinese: fill(() => random.pick(chinese)),
  'one letter': 'a'.repeat(units),
  'random letters': fill(() => String.fromCharCode(97 + random.int(26))),
  'random ideographs': fill(() => String.fromCharCode(0x4e00 + random.int(20_000))),
  emoji: fill(() => String.fromCodePoint(0x1f300 + random.int(700))),
  contractions: fill(() => "'s"),
  spaces: ' '.repeat(units),
  'line ends': fill(() => '\r\n'),
};
countTokens(texts.english);
for (const [name, text] of Object.entries(texts)) {
  const startedAt = performance.now();
  const tokens = countTokens(text);
  const ms = performance.now() - startedAt;
  const kilobytes = Buffer.byteLength(text) / 1_024;
  console.log(
    `${name}: ${tokens} tokens in ${kilobytes.toFixed(0)} KB, ${(ms / kilobytes).toFixed(2)} ms a KB`,
  );
}
