/**
 * What limits and caps hold over separate processes: `npm run bench -- limits`, two and a half minutes. Prints the
 * most requests that any 60-second window at the simulator held, under a limit of 60 a minute over two generation
 * workers; and by how much eight of them overshoot a spend cap of 1.00, beside what was in flight. Ends with a line
 * `N passed, N failed`.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRestartableRedis } from '../restartable-redis.ts';
import { createSimulator, type Simulator } from '../simulator/create-simulator.ts';
import { type HaltlineProcess, startHaltline } from '../start-haltline.ts';

const WINDOW_MS = 60_000;
const LIMIT = 60;
const CAP = 1;
const MAX_TOKENS = 400;
const price = { inputPerMTok: 100, outputPerMTok: 100 };

interface Sweep {
  readonly generators: number;
  readonly spec: (apiBaseUrl: string) => object;
  readonly tokensPerSecond: number;
}

interface Outcome {
  readonly simulator: Simulator;
  readonly code: number | string;
  readonly said: string;
}

/** A sweep over processes of its own, to its end. */
async function runSweep<Result>(
  { generators, spec, tokensPerSecond }: Sweep,
  read: (outcome: Outcome) => Result,
): Promise<Result> {
  const dir = await mkdtemp(join(tmpdir(), 'haltline-limits-'));
  const redis = await startRestartableRedis();
  const simulator = await createSimulator({ tokensPerSecond, logEntries: 100_000 });
  const specPath = join(dir, 'sweep.json');
  await writeFile(specPath, JSON.stringify(spec(simulator.url)));
  const env = { REDIS_URL: redis.url, HALTLINE_RESULTS_DIR: dir, HALTLINE_METRICS_PORT: '0' };
  const kinds = ['metrics', ...Array.from({ length: generators }, () => 'generation')];
  const workers: HaltlineProcess[] = kinds.map((kind) => startHaltline(['worker', kind], env));
  try {
    const producer = startHaltline(['run', specPath, '--no-workers'], env);
    const code = await producer.ended;
    return read({ simulator, code, said: producer.stderr() });
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map((worker) => worker.ended));
    await simulator.close();
    await redis.remove();
    await rm(dir, { recursive: true, force: true });
  }
}

function specOf(apiBaseUrl: string, more: object): object {
  return {
    name: 'limits',
    attacks: ['badchain'],
    arms: ['clean', 'attacked'],
    datasets: [{ id: 'arithmetic', limit: 60 }],
    targets: [
      {
        id: 'sim',
        concurrency: 16,
        config: { apiBaseUrl, model: 'sim-instruct' },
        decoding: { maxTokens: MAX_TOKENS },
        ...more,
      },
    ],
  };
}

/** The most requests in any window, wherever it begins. */
function mostInWindow(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((start, at) => sorted.findLastIndex((time) => time < start + WINDOW_MS) - at + 1),
  );
}

const limited = await runSweep(
  {
    generators: 2,
    tokensPerSecond: 0,
    spec: (apiBaseUrl) => specOf(apiBaseUrl, { limits: { requestsPerMinute: LIMIT } }),
  },
  ({ simulator, code }) => {
    const times = simulator.requests().map(({ receivedAtMs }) => receivedAtMs);
    return { code, requests: times.length, most: mostInWindow(times) };
  },
);
console.log(
  `limit of ${LIMIT} requests a minute, 2 generation workers: ${limited.requests} requests, ` +
    `at most ${limited.most} in any 60 s; the sweep exited with ${limited.code}`,
);

const capped = await runSweep(
  {
    generators: 8,
    tokensPerSecond: 400,
    spec: (apiBaseUrl) => ({
      ...specOf(apiBaseUrl, {}),
      prices: { 'sim-instruct': price },
      limits: { maxCost: CAP },
    }),
  },
  ({ simulator, code, said }) => ({
    code,
    requests: simulator.requests().length,
    line: said.split('\n').find((line) => line.includes('limits.maxCost is reached')) ?? '',
  }),
);
const overshoot = Number(/overshoot ([\d.]+)/.exec(capped.line)?.[1] ?? Number.NaN);
console.log(
  `spend cap of ${CAP.toFixed(2)}, 8 generation workers: ${capped.requests} requests; ${capped.line.trim()}`,
);

const checks = [
  limited.code === 0 && limited.requests > 2 * LIMIT - 1 && limited.most <= LIMIT,
  // A run reserves the most that it can cost before it starts, so nothing in flight can go over.
  capped.code === 3 && overshoot === 0,
];
const passed = checks.filter(Boolean).length;
console.log(`${passed} passed, ${checks.length - passed} failed`);
process.exitCode = passed === checks.length ? 0 : 1;
