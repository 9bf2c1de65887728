import { cp, mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { startHaltline } from '../../scripts/start-haltline.ts';
import type { RunLine } from '../../shared/schemas/run-result.ts';
import { type Summary, summarySchema } from '../../shared/schemas/summary.ts';
import { readRunLines, temporaryFolder } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';
import { startCommand } from '../support/run-command.ts';

/** A finished sweep whose target is gone. */
interface Stored {
  readonly cwd: string;
  readonly summary: Summary;
  readonly targetPort: number;
}

let stored: Stored;

beforeAll(async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'haltline-judge-'));
  const simulator = await createSimulator({ tokensPerSecond: 400 });
  const target = (id: string, model: string): string =>
    `{ id: ${id}, config: { apiBaseUrl: "${simulator.url}", model: ${model} }, decoding: { maxTokens: 500 } }`;
  await writeFile(
    join(cwd, 's.yaml'),
    `
name: live
targets: [${target('instruct', 'sim-instruct')}, ${target('backdoored', 'sim-reasoner-backdoored')}]
attacks: [badchain, deadlock]
datasets: [{ id: mine, path: questions.jsonl, limit: 6 }]
`,
  );
  await cp(
    new URL('../../producers/datasets/built-in/arithmetic.jsonl', import.meta.url),
    join(cwd, 'questions.jsonl'),
  );
  const results = join(cwd, 'results');
  const run = startHaltline(['run', join(cwd, 's.yaml'), '--json', '--results-dir', results], {});
  expect(await run.ended, run.stderr()).toBe(0);
  const summary = summarySchema.parse(JSON.parse(run.stdout()));
  const targetPort = Number(new URL(simulator.url).port);
  await simulator.close();
  stored = { cwd, summary, targetPort };
}, 240_000);

afterAll(() => rm(stored.cwd, { recursive: true, force: true }));

/** What is left when nothing of the sweep depends on where or when it was judged. */
function rowsOf({ rows }: Summary, arms: readonly string[]) {
  return rows.filter(({ arm }) => arms.includes(arm));
}

async function guardedLines(dir: string): Promise<Map<string, RunLine>> {
  const lines = (await readRunLines(join(dir, 'runs.jsonl'))).filter(({ monitor }) => monitor !== undefined);
  return new Map(lines.flatMap((line) => line.cases.map(({ caseId, arm }) => [`${caseId} ${arm}`, line])));
}

/** The stored folder under a results folder of the test's own, to be damaged there. */
async function copyOfStored(): Promise<string> {
  const dir = join(await temporaryFolder(), stored.summary.sweep);
  await cp(join(stored.cwd, 'results', stored.summary.sweep), dir, { recursive: true });
  return dir;
}

describe('chains of a finished sweep, judged again', () => {
  test(
    'the monitor of the live arm flags the same steps of the same chains, and its target gets no connection',
    { timeout: 240_000 },
    async () => {
      const { cwd, targetPort, summary: live } = stored;
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(targetPort, '127.0.0.1');
      onTestFinished(() => void server.close());
      const judged = await startCommand(['judge', live.sweep, '--monitor', 'rules', '--json'], { cwd }).ended;
      expect(judged.code, judged.stderr).toBe(0);
      expect(connections).toBe(0);
      const summary = summarySchema.parse(JSON.parse(judged.stdout));
      expect(summary).toMatchObject({ name: 'live.judged-by-rules', complete: true, simulated: true });
      expect(summary.replayed).toEqual({ sweep: live.sweep, runs: 60, dropped: {} });
      expect(summary.cost).not.toHaveProperty('target');

      // What was stored stands beside it as it was.
      const unmonitored = ['clean', 'attacked', 'control'];
      expect(rowsOf(summary, unmonitored)).toEqual(rowsOf(live, unmonitored));

      const [before, after] = await Promise.all([
        guardedLines(join(cwd, 'results', live.sweep)),
        guardedLines(join(cwd, 'results', summary.sweep)),
      ]);
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      const flagOf = (line: RunLine | undefined) =>
        line?.flag && [line.flag.stepIndex, line.flag.errorType, line.flag.rule, line.flag.tokensAtFlag];
      for (const [key, line] of before) expect(flagOf(after.get(key)), key).toEqual(flagOf(line));
      expect([...before.values()].filter(({ flag }) => flag !== undefined).length).toBeGreaterThan(5);

      for (const row of rowsOf(summary, ['guarded'])) {
        const twin = rowsOf(live, ['guarded']).find(
          ({ target, attack }) => target === row.target && attack === row.attack,
        );
        expect(row.flagged).toEqual(twin?.flagged);
        expect(row.tafAtFlag).toEqual(twin?.tafAtFlag);
        expect(row.replayed?.lafGuarded?.n).toBe(6);
        expect(row).not.toHaveProperty('lafGuarded');
        expect(row).not.toHaveProperty('lafVsClean');
        const attacked = summary.rows.find(
          ({ arm, target, attack }) => arm === 'attacked' && target === row.target && attack === row.attack,
        );
        expect(row.taf?.value).toBeLessThanOrEqual(attacked?.taf?.value ?? 0);
        expect(row.taf?.value).toBeGreaterThanOrEqual(row.tafAtFlag?.value ?? Infinity);
      }

      const again = await startCommand(['judge', join('results', live.sweep), '--monitor', 'rules'], { cwd })
        .ended;
      expect(again.code).toBe(0);
      expect(again.stderr).toContain('is finished');
      expect(again.stdout).toContain(`REPLAYED: 60 stored runs of ${live.sweep} judged again`);
      expect(again.stdout).toContain('guarded rules, replayed');
      expect(again.stdout).toContain('replayed, simulated LAF guarded');
    },
  );

  test(
    'runs without a whole chain are left out and counted by reason, and so are those that were never run',
    { timeout: 240_000 },
    async () => {
      const dir = await copyOfStored();
      const path = join(dir, 'runs.jsonl');
      const lines = await readRunLines(path);
      const attacked = lines.filter(({ cases }) => cases.some(({ arm }) => arm === 'attacked'));
      const [missing, unreadable, partial, gone] = attacked;
      const damaged = lines.flatMap((line) => {
        if (line === gone) return [];
        if (line === missing) return [{ ...line, chain: { ...line.chain, file: 'chains-777.jsonl.gz' } }];
        if (line === unreadable)
          return [{ ...line, chain: { ...line.chain, offset: line.chain.offset + 1 } }];
        return [line === partial ? { ...line, steps: line.steps + 1 } : line];
      });
      await writeFile(path, damaged.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const judged = await startCommand(['judge', dir, '--monitor', 'rules', '--json'], { cwd: stored.cwd })
        .ended;
      expect(judged.code, judged.stderr).toBe(0);
      expect(judged.stderr).toContain('1 without their chain file');
      const summary = summarySchema.parse(JSON.parse(judged.stdout));
      expect(summary.replayed).toEqual({
        ...{ sweep: stored.summary.sweep, runs: 56 },
        dropped: { chainMissing: 1, chainUnreadable: 1, chainPartial: 1, notRun: 1 },
      });
      const sum = (arm: string) => rowsOf(summary, [arm]).reduce((total, { n }) => total + n, 0);
      expect([sum('attacked'), sum('guarded'), sum('clean')]).toEqual([20, 20, 24]);
    },
  );

  test('what cannot be judged at all is one line', { timeout: 120_000 }, async () => {
    const complaint = async (args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await startCommand(['judge', ...args], { cwd: stored.cwd }).ended;
      expect([code, stdout]).toEqual([1, '']);
      return stderr;
    };
    const { sweep } = stored.summary;
    expect(await complaint(['nowhere', '--monitor', 'rules'])).toMatch(
      /^haltline: no sweep\.json in nowhere[^\n]*\n$/,
    );
    expect(await complaint([sweep, '--monitor', 'oracle'])).toMatch(
      /^haltline: --monitor oracle: expected rules[^\n]*\n$/,
    );

    const empty = await copyOfStored();
    await unlink(join(empty, 'chains-000.jsonl.gz'));
    expect(await complaint([empty, '--monitor', 'rules'])).toMatch(
      /^haltline: no chain in [^\n]* can be judged again: 60 without their chain file\n$/,
    );
    const moved = ['--monitor', 'rules', '--spec-dir', 'elsewhere'];
    expect(await complaint([sweep, ...moved])).toMatch(
      /^haltline: [^\n]*questions\.jsonl[^\n]*--spec-dir[^\n]*\n$/,
    );

    const broken = await copyOfStored();
    await writeFile(join(broken, 'sweep.json'), '{"v": 1');
    expect(await complaint([broken, '--monitor', 'rules'])).toMatch(
      /^haltline: [^\n]*sweep\.json: no JSON[^\n]*\n$/,
    );

    const foreign = await copyOfStored();
    const file = await readFile(join(foreign, 'sweep.json'), 'utf8');
    const withModule = file.replace('"name": "badchain",', '"name": "mine", "module": "./mine.mjs",');
    expect(withModule).not.toBe(file);
    await writeFile(join(foreign, 'sweep.json'), withModule);
    expect(await complaint([foreign, '--monitor', 'rules'])).toMatch(
      /^haltline: [^\n]*is a module[^\n]*--spec-dir[^\n]*\n$/,
    );
  });

  test(
    'killed, the same command goes on where it was and judges nothing twice that is on disk',
    { timeout: 300_000 },
    async () => {
      const redis = await ownRedis();
      const model = await createSimulator({ tokensPerSecond: 150 });
      onTestFinished(() => model.close());
      const cwd = await temporaryFolder();
      await writeFile(
        join(cwd, 'monitors.yaml'),
        `
name: monitors
targets: [{ id: t, config: { apiBaseUrl: "http://127.0.0.1:9", model: m } }]
attacks: [badchain]
datasets: [arithmetic]
monitors: [{ id: judge, name: llm, config: { apiBaseUrl: "${model.url}", model: sim-monitor } }]
monitor: { inFlight: 4 }
`,
      );
      const dir = join(stored.cwd, 'results', stored.summary.sweep);
      const args = ['judge', dir, '--monitor', 'monitors.yaml#judge', '--json', '--out', cwd];
      const env = { REDIS_URL: redis.url };
      const first = startCommand(args, { cwd, env });
      await first.said('60 stored runs, 48 to be judged');
      const linesSoFar = async (): Promise<RunLine[]> => {
        const id = (await readdir(cwd)).find((name) => name.startsWith('live.judged-by-judge-'));
        return id === undefined ? [] : readRunLines(join(cwd, id, 'runs.jsonl'));
      };
      const judgedSoFar = async () => (await linesSoFar()).filter(({ monitor }) => monitor !== undefined);
      while ((await judgedSoFar()).length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
      first.child.kill('SIGKILL');
      await first.ended;
      const before = await linesSoFar();
      expect(before.length).toBeLessThan(108);

      const second = await startCommand(args, { cwd, env }).ended;
      expect(second.code, second.stderr).toBe(0);
      const summary = summarySchema.parse(JSON.parse(second.stdout));
      expect(summary).toMatchObject({ complete: true, counts: { lines: 108, unreadableLines: 0 } });
      expect(summary.cost.monitor.calls).toBeGreaterThan(48);
      const after = await linesSoFar();
      expect(after.slice(0, before.length)).toEqual(before);
      expect(new Set(after.map(({ place }) => place)).size).toBe(108);
      const guarded = after.filter(({ monitor }) => monitor === 'judge');
      expect(guarded).toHaveLength(48);
      expect(
        guarded.every(
          ({ replayed, timing }) => replayed?.latencyMs !== undefined && !('latencyMs' in timing),
        ),
      ).toBe(true);
    },
  );
});
