import { expect, test } from 'vitest';
import { describeCheck } from '../../../scripts/chaos/check.ts';
import { sumOfCounter } from '../../../scripts/chaos/check-figures.ts';
import { checkAllJudged, checkFlags, checkOneLineEach } from '../../../scripts/chaos/check-lines.ts';
import { checkRequests, checkWasted, type LoggedRequest } from '../../../scripts/chaos/check-requests.ts';
import { checkStrikes } from '../../../scripts/chaos/check-strikes.ts';
import { buildRiddles, expectedFlag, riddleChain, riddleScript } from '../../../scripts/chaos/riddles.ts';
import { checkWoken } from '../../../scripts/chaos/check-woken.ts';
import type { LogEntry, Woken } from '../../../scripts/chaos/frozen-work.ts';
import { planStrikes, type Strike } from '../../../scripts/chaos/strikes.ts';
import {
  type ChainRecord,
  type Flag,
  type RunLine,
  runLineSchema,
} from '../../../shared/schemas/run-result.ts';
import type { Verdict } from '../../../shared/schemas/verdict.ts';
import { resultOf } from '../../support/run-calls.ts';

function line(place: number, changes: Partial<RunLine> = {}): RunLine {
  const result = resultOf({ sweep: 's', place, epoch: 1, token: 't' });
  return runLineSchema.parse({
    ...result,
    monitorUse: { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 },
    chain: { file: 'chains-000.jsonl.gz', offset: 0, length: 10 },
    ...changes,
  });
}

const timed = (place: number, startedAtMs: number, changes: Partial<RunLine> = {}): RunLine => {
  const base = line(place);
  return { ...base, timing: { ...base.timing, startedAtMs, latencyMs: 50 }, ...changes };
};
const answered = { outcome: { status: 'answered' } } as const;
const halted = { outcome: { status: 'halted', reason: 'verdict' } } as const;

test('a missing run, a second line that differs, and a repeat without a frozen worker are each a problem', () => {
  const other = line(0, { chain: { file: 'chains-001.jsonl.gz', offset: 5, length: 10 } });
  const check = (lines: readonly RunLine[], metricsFreezes = 1) =>
    checkOneLineEach(lines, { total: 2, metricsFreezes }).problems;
  expect(check([line(0), line(1)], 0)).toEqual([]);
  expect(check([line(0)])).toEqual(['run 1 has no line']);
  expect(check([line(0), line(1), other])).toEqual([]);
  expect(check([line(0), line(1), other], 0)).toEqual(['1 repeats, and no metrics worker was frozen']);
  expect(check([line(0), line(1), line(0, { seed: 99 })])).toEqual(['run 0 has two lines that differ']);
});

test('arms that began together are each given a request of their own, whichever was received first', () => {
  const { messagesHash, seed } = line(0);
  const request = (receivedAtMs: number, closed: LoggedRequest['closed']): LoggedRequest => ({
    ...{ messagesHash, seed, receivedAtMs, closedAtMs: receivedAtMs + 40, closed, tokensWritten: 10 },
  });
  const runs = [timed(0, 1_000, answered), timed(1, 1_014, halted)];
  const cut = request(1_036, 'client');
  const both = [cut, request(1_017, 'finished')];
  expect(checkRequests(runs, both).problems).toEqual([]);
  expect(checkRequests(runs, [cut]).problems).toEqual(['run 0, epoch 1: no request of its own']);
  expect(checkRequests(runs, [...both, request(900, 'client')]).problems).toEqual([
    'runs 0, 1: 3 requests, 2 committed, 0 given up',
  ]);
  const restarted = [timed(0, 1_000, { ...answered, epoch: 2 }), timed(1, 1_014, halted)];
  expect(checkRequests(restarted, [...both, request(900, 'client')]).problems).toEqual([]);
});

test('tokens are wasted by runs that began more than once, and by no others; more than was sent are too many', () => {
  const tokens = (wasted: number) => ({ reasoning: 0, answer: 0, content: 10, wasted });
  const sent = (tokensWritten: number): LoggedRequest[] => [
    { messagesHash: 'm', seed: 0, receivedAtMs: 0, closedAtMs: 1, closed: 'finished', tokensWritten },
  ];
  const again = line(0, { epoch: 2, tokens: tokens(7) });
  expect(checkWasted([again], sent(20)).problems).toEqual([]);
  expect(checkWasted([again], sent(6)).problems).toEqual([
    '7 tokens are booked as wasted, 6 were sent in all',
  ]);
  expect(checkWasted([line(0, { tokens: tokens(7) })], sent(20)).problems).toEqual([
    'run 0 began once, and has wasted tokens',
  ]);
  expect(checkWasted([line(0, { epoch: 2, tokens: tokens(0) })], sent(21)).problems).toEqual([
    'nothing is booked of 1 epochs given up',
  ]);
});

test('a step without a verdict is a problem before the cut and none behind it', () => {
  const step = (index: number) =>
    ({ index, channel: 'reasoning', text: 'x', tokens: 1, endedAtMs: 0 }) as const;
  const judged: Verdict = {
    status: 'judged',
    stepIndex: 0,
    errorDetected: false,
    errorType: 'NO_ERROR',
    confidence: 1,
    errorLocation: '',
    errorExplanation: '',
    durationMs: 0,
  };
  const chain: ChainRecord = { place: 0, runId: 'r', steps: [step(0), step(1)], verdicts: [judged] };
  const flag: Flag = {
    stepIndex: 0,
    errorType: '2b',
    channel: 'reasoning',
    when: 'cut',
    tokensAtFlag: 1,
    tokensAfterFlag: 0,
    detectionMs: 1,
    beforeAnswer: true,
  };
  const run = line(0, { monitor: 'rules', steps: 2, ...answered });
  const chains = new Map([[0, chain]]);
  expect(checkAllJudged([run], chains).problems).toEqual(['run 0 (answered): step 1 has no judgement']);
  expect(checkAllJudged([{ ...run, ...halted, flag }], chains).problems).toEqual([]);
});

test('a flag that the script does not make certain is a problem, and so is one that is missing', () => {
  const run = line(0, { monitor: 'rules', questionId: 'q', unjudged: 0, ...answered });
  const same = { ...run, answer: run.gold };
  expect(checkFlags([same], () => undefined).problems).toEqual([]);
  expect(checkFlags([same], () => 3).problems).toEqual([
    'run 0: first unsafe step none, script says 3',
    'run 0 is answered, expected halted',
  ]);
});

test('a riddle is answered with its own chain, and its flag is where the chain is false', () => {
  for (const { id, question, answer } of buildRiddles(30)) {
    const { reasoning = [], content = [] } = riddleScript('7', [{ content: question }]);
    const index = Number(id.replace('riddle-', ''));
    const { steps, unsafeAt } = riddleChain('7', index);
    expect(reasoning.join('')).toBe(steps.join(''));
    expect(content.join('')).toBe(`The answer is ${answer}.`);
    expect(expectedFlag('7', id)).toBe(unsafeAt);
  }
});

test('strikes follow from their seed, a second or two apart, each kind once before any comes again', () => {
  const take = (seed: string): Strike[] => {
    const strikes: Strike[] = [];
    for (const strike of planStrikes(seed)) if (strikes.push(strike) === 30) break;
    return strikes;
  };
  expect(take('a')).toEqual(take('a'));
  expect(take('a')).not.toEqual(take('b'));
  const names = take('a').map((strike) => ('kind' in strike ? `${strike.type} ${strike.kind}` : strike.type));
  expect(new Set(names.slice(0, 10)).size).toBe(10);
  expect(names.filter((name) => name === 'fill-redis')).toHaveLength(1);
  for (const { afterMs } of take('a')) expect(afterMs >= 1_000 && afterMs < 2_000).toBe(true);
});

test('a full run with too few strikes, or with a process that ended by itself, has not passed', () => {
  const strikes = { 'kill monitor': 60, 'kill producer': 40, 'kill-redis': 3, 'freeze metrics': 3 };
  const whole = {
    ...{ strikes: { ...strikes, 'cut-connections': 1, 'fill-redis': 1 }, unexpectedExits: [] },
    size: 'full',
  } as const;
  expect(checkStrikes(whole).problems).toEqual([]);
  expect(checkStrikes({ ...whole, strikes: { ...whole.strikes, 'kill monitor': 59 } }).problems).toEqual([
    '99 kills, expected at least 100',
  ]);
  expect(checkStrikes({ ...whole, strikes }).problems).toHaveLength(2);
  expect(checkStrikes({ ...whole, strikes, size: 'short' }).problems).toEqual([]);
  expect(checkStrikes({ ...whole, unexpectedExits: ['monitor 1 with 1'] }).problems).toHaveLength(1);
});

test('a woken worker that no refusal reached for one piece of its work is a problem; what it was told asleep is none', async () => {
  const key = (place: number) => `chaos:run:{s/${String(place)}}:run`;
  const hold = (place: number) => ({ key: key(place), value: 't', epoch: 1 });
  // Run 12 was begun anew, 13 was committed by the frozen worker's last word, of 14 there is no line.
  const lines = [line(12, { epoch: 2 }), line(13, { epoch: 1 })];
  const woken: Woken = {
    ...{ kind: 'generation', pid: 7, logFile: '', wokenAtMs: Date.parse('2026-01-01T00:00:10Z') },
    ...{ held: 4, taken: [hold(1)], gone: [hold(12), hold(13), hold(14)] },
  };
  const refusal = (place: number, second: number) => ({
    ...{ event: 'zombie-refused', pid: 7, place, time: `2026-01-01T00:00:${String(second)}Z` },
  });
  const problemsOf = async (log: LogEntry[], least = 0) =>
    (await checkWoken([woken], { least, lines, readLog: () => Promise.resolve(log) })).problems;
  expect(await problemsOf([refusal(1, 11), refusal(12, 12)])).toEqual([]);
  expect(await problemsOf([refusal(2, 11), refusal(12, 12)])).toEqual([
    `generation 7 woke with ${key(1)} in another's hands, and nothing refused it`,
  ]);
  expect(await problemsOf([refusal(1, 11), refusal(12, 9)])).toHaveLength(1);
  expect(await problemsOf([refusal(1, 11), refusal(12, 12)], 3)).toHaveLength(1);
  const lease: Woken = {
    ...woken,
    kind: 'metrics',
    taken: [{ key: 'chaos:sweep:{s}:metrics-lease', value: 't' }],
  };
  const lost = { event: 'lease-lost', pid: 7, time: '2026-01-01T00:00:11Z' };
  const readLog = () => Promise.resolve([lost]);
  expect((await checkWoken([lease], { least: 1, lines, readLog })).problems).toEqual([]);
});

test('a counter is summed over its labels; a page without it has none', () => {
  const page = '# TYPE c counter\nc{a="1"} 2\nc{a="2"} 3\ncd{a="1"} 9\n';
  expect(sumOfCounter(page, 'c')).toBe(5);
  expect(sumOfCounter(page, 'missing')).toBeUndefined();
});

test('a failed check shows its first problems and how many more there are', () => {
  const problems = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const text = describeCheck({ name: 'all is well', problems, detail: '7 things' });
  expect(text.split('\n')[0]).toBe('FAIL  all is well (7 things)');
  expect(text.split('\n').at(-1)).toBe('      and 2 more');
});
