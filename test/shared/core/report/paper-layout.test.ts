import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renderReport } from '../../../../shared/core/report/table.ts';
import { renderPaperLayout } from '../../../../shared/core/report/paper-layout.ts';
import type { RunLine } from '../../../../shared/schemas/run-result.ts';
import type { Summary } from '../../../../shared/schemas/summary.ts';
import { Fold } from '../../../../workers/metrics/fold.ts';
import { summariseNow } from '../../../../workers/metrics/summarise.ts';
import { halted, liveSweep, runLine, wrong } from '../../../workers/metrics/run-lines.ts';

/** 40 questions under two attacks: 30 attacked runs wrong and 20 times as long and slow, every guarded one halted. */
function summary(simulated: boolean, attacks?: unknown[]): Summary {
  const fold = new Fold();
  const lines = ['badchain', 'deadlock'].flatMap((attack, block) =>
    Array.from({ length: 40 }, (_, cluster): RunLine[] => {
      const place = 120 * block + 3 * cluster;
      const shared = { attack, cluster, clean: place };
      const guard = { monitor: 'rules', attacked: place + 1, flag: { tokensAtFlag: 5 } };
      const long = { tokens: { content: 200 }, timing: { latencyMs: 2_000 } };
      const short = { tokens: { content: 5 }, timing: { latencyMs: 50 } };
      const isWrong = cluster < 30 ? wrong : {};
      return [
        runLine({ attack, cluster, place, result: { simulated } }),
        runLine({ ...shared, ...long, place: place + 1, arm: 'attacked', result: { simulated, ...isWrong } }),
        runLine({
          ...shared,
          ...guard,
          ...short,
          place: place + 2,
          arm: 'guarded',
          result: { simulated, ...halted },
        }),
      ];
    }).flat(),
  );
  for (const line of lines) fold.add(line);
  return summariseNow(liveSweep({ total: lines.length, ...(attacks && { attacks }) }), fold, {
    deadLetters: 0,
    lateUse: {},
  });
}

it("lays a simulated sweep out as the paper's Tables 4 and 5, and calls the published figures not comparable", async () => {
  await expect(renderPaperLayout(summary(true))).toMatchFileSnapshot(
    join(import.meta.dirname, 'golden', 'paper-layout.txt'),
  );
});

it('shows wrong answers without and with intervention, and the tokens and latency of both', () => {
  const lines = renderPaperLayout(summary(false), { width: 140 })
    .split('\n')
    .filter((text) => text.startsWith('toy '))
    .map((text) => text.split(/\s{2,}/));
  expect(lines).toEqual([
    ['toy', 'badchain', 'gsm8k', 'rules', '40', '0.75 [0.60, 0.86]', '40', '0.00 [0.00, 0.088]'],
    ['toy', 'deadlock', 'gsm8k', 'rules', '40', '20.0 [20.0, 20.0]', '40', '0.50 [0.50, 0.50]'],
    [
      ...['toy', 'deadlock', 'gsm8k', 'rules'],
      ...['20.0 [20.0, 20.0]', '0.50 [0.50, 0.50]', '0.025 [0.025, 0.025]'],
    ],
  ]);
});

it('says simulated, and not comparable, of simulated figures alone', () => {
  expect(renderPaperLayout(summary(true))).toMatch(/^SIMULATED: [^]*NOT COMPARABLE/);
  expect(renderPaperLayout(summary(false))).not.toMatch(/SIMULATED|NOT COMPARABLE/);
});

it('leaves what the paper does not quote unquoted', () => {
  const text = renderPaperLayout(summary(true));
  expect(text).toMatch(/DeepSeek-V3\.2 +badchain +GSM8K +100 +0\.78 +100 +0\n/);
  expect(text).toMatch(/DeepSeek-V3\.2 +paa +GSM8K +100 +not quoted +100 +<= 0\.05\n/);
  expect(text).toMatch(/Phi-4-mini-reasoning +deadlock +CommonsenseQA +100 +16\.85 +100 +4\.69\n/);
});

it('goes by the name of an attack, not by the id of its entry, and calls a surrogate what it is', () => {
  const attacks = [
    { id: 'badchain', name: 'paa' },
    { id: 'deadlock', name: 'deadlock', parameters: { variant: 'surrogate' } },
  ];
  const text = renderPaperLayout(summary(false, attacks), { width: 200 });
  const rows = text.split('\n').filter((line) => line.startsWith('toy '));
  expect(rows[0]).toContain('badchain (paa)');
  expect(rows[1]).toContain('surrogate prompt that induces loops, not Deadlock (deadlock)');
  expect(renderReport(summary(false, attacks))).toContain('not Deadlock (deadlock)');
  const renamed = [{ id: 'badchain', name: 'deadlock' }];
  expect(renderPaperLayout(summary(false, renamed)).split('\n')).toContain(
    'no run of these attacks in this sweep',
  );
});
