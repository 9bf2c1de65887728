import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VerdictLedger } from '../../../workers/generation/verdict-ledger.ts';
import { verdictOn } from '../../support/pipeline.ts';

const policy = { intervention: 'halt', fail: 'closed', stepTimeoutMs: 100 } as const;

function ledgerOf(
  steps: number,
  overrides: Partial<typeof policy | { intervention: 'flag' }> = {},
): VerdictLedger {
  const ledger = new VerdictLedger({ ...policy, ...overrides });
  for (let i = 0; i < steps; i += 1) ledger.published(i, i);
  return ledger;
}

test('the first unsafe step is the smallest flagged index, whatever the order of verdicts', () => {
  const indexes = fc.uniqueArray(fc.nat(20), { minLength: 1 });
  fc.assert(
    fc.property(indexes, (flagged) => {
      const ledger = ledgerOf(21);
      for (const index of flagged) ledger.record(verdictOn({ index }, true), 50);
      expect(ledger.flagged).toBe(Math.min(...flagged));
      expect(ledger.unjudged()).toEqual(Array.from({ length: Math.min(...flagged) }, (_, i) => i));
    }),
  );
});

test('under flag every step needs its verdict, and nothing stops the stream', () => {
  const ledger = ledgerOf(3, { intervention: 'flag' });
  ledger.record(verdictOn({ index: 0 }, true), 5);
  expect(ledger.stop).toBeUndefined();
  expect(ledger.unjudged()).toEqual([1, 2]);
  expect(ledger.isComplete).toBe(false);
});

test('a monitor error stops a run only when it fails closed, and an unsafe verdict wins over it', () => {
  const error = { status: 'monitor_error', stepIndex: 1, reason: 'timeout', durationMs: 0 } as const;
  const open = new VerdictLedger({ ...policy, fail: 'open' });
  open.published(1, 0);
  open.record(error, 1);
  expect(open.stop).toBeUndefined();
  const closed = ledgerOf(3);
  closed.record(error, 1);
  expect(closed.stop).toBe('monitor_error');
  closed.record(verdictOn({ index: 2 }, true), 2);
  expect(closed.stop).toBe('verdict');
  expect(closed.flagged).toBe(2);
});

test('a step is overdue once it has waited longer than its time limit, and not when it is superseded', () => {
  const ledger = ledgerOf(3);
  expect(ledger.overdue(100)).toEqual([0]);
  expect(ledger.overdue(200)).toEqual([0, 1, 2]);
  ledger.record(verdictOn({ index: 1 }, true), 50);
  expect(ledger.overdue(200)).toEqual([0]);
});

test('what Redis lost waits again, in order of the index, and a lost flag is no flag', () => {
  const ledger = ledgerOf(4);
  for (const index of [0, 1, 2, 3]) ledger.record(verdictOn({ index }, index === 2), 10);
  ledger.forget([2, 0], 20);
  expect(ledger.flagged).toBeUndefined();
  expect(ledger.unjudged()).toEqual([0, 2]);
});

test('the end of a halted run is the last verdict at or before the cut', () => {
  const ledger = ledgerOf(4);
  ledger.record(verdictOn({ index: 3 }, false), 90);
  ledger.record(verdictOn({ index: 1 }, true), 40);
  ledger.record(verdictOn({ index: 0 }, false), 60);
  expect(ledger.lastVerdictAtMs).toBe(60);
});
