import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { readRunLines, startHaltline, temporaryFolder } from '../support/processes.ts';

test(
  'two demos with one seed agree in outcomes, first unsafe steps, interrupts, attacked TAF and TAF at flag',
  { timeout: 240_000 },
  async () => {
    const [one, two] = await Promise.all([demo(), demo()]);
    expect(one.summary.sweep).not.toBe(two.summary.sweep);
    expect(one.lines.length).toBe(one.summary.counts.total);
    expect(one.lines.map(certain)).toEqual(two.lines.map(certain));
    expect(one.summary.rows.map(figures)).toEqual(two.summary.rows.map(figures));
    expect(one.summary.simulated).toBe(true);
    const halted = one.summary.rows.filter(
      (row) => row.arm === 'guarded' && (row.interrupted?.value ?? 0) > 0,
    );
    expect(new Set(halted.map((row) => row.attack))).toEqual(new Set(['badchain', 'deadlock']));
  },
);

async function demo(): Promise<{ summary: Summary; lines: RunLine[] }> {
  const resultsDir = await temporaryFolder();
  const process = startHaltline(['demo', '--json'], { HALTLINE_RESULTS_DIR: resultsDir });
  expect(await process.ended, process.stderr()).toBe(0);
  const summary = summarySchema.parse(JSON.parse(process.stdout()));
  const lines = await readRunLines(join(resultsDir, summary.sweep, 'runs.jsonl'));
  return { summary, lines: lines.sort((a, b) => a.place - b.place) };
}

function certain({ place, outcome, answer, flag }: RunLine): unknown {
  return { place, outcome, answer, firstUnsafe: flag?.stepIndex, tokensAtFlag: flag?.tokensAtFlag };
}

function figures(row: Summary['rows'][number]): unknown {
  const { target, attack, arm, asrWrong, asrTarget, interrupted, tafAtFlag } = row;
  const taf = arm === 'attacked' ? row.taf : undefined;
  return { target, attack, arm, asrWrong, asrTarget, interrupted: interrupted?.value, taf, tafAtFlag };
}
