import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { createRandom, type Random } from '../../shared/core/random.ts';
import { MESSAGE_VERSION } from '../../shared/schemas/job.ts';
import { type RunLine, runLineSchema } from '../../shared/schemas/run-result.ts';
import { sweepFileSchema } from '../../shared/schemas/sweep-file.ts';
import { sweepSpecSchema } from '../../shared/schemas/sweep-spec.ts';

const arms = ['clean', 'attacked', 'guarded', 'guarded-clean', 'control'] as const;
const ID = 'memory-lines-0';

/** A sweep folder of `runs` lines: cases of five arms, flags and usage among them, as a real sweep has them. */
export async function writeSweepFolder(dir: string, runs: number): Promise<void> {
  await mkdir(dir, { recursive: true });
  const spec = sweepSpecSchema.parse({
    name: 'memory-lines',
    targets: [{ id: 'bench', config: { apiBaseUrl: 'http://127.0.0.1:9/v1', model: 'sim-reasoner' } }],
    attacks: ['badchain'],
    datasets: ['arithmetic'],
    arms,
  });
  const dataset = { id: 'arithmetic', sha256: '', extractor: 'number', rows: 1, duplicates: 0, sample: [] };
  const about = { v: MESSAGE_VERSION, id: ID, haltline: '0.0.0', createdAtMs: 0 };
  const sweep = sweepFileSchema.parse({ ...about, spec, datasets: [dataset], total: runs });
  await writeFile(join(dir, 'sweep.json'), JSON.stringify(sweep));
  const file = createWriteStream(join(dir, 'runs.jsonl'));
  const random = createRandom('memory-lines');
  for (let place = 0; place < runs; place += 1) {
    const line = buildLine(place, random);
    const text = `${JSON.stringify(place < 1_000 ? runLineSchema.parse(line) : line)}\n`;
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

function buildLine(place: number, random: Random): RunLine {
  const arm = arms[place % arms.length] ?? 'clean';
  const question = Math.floor(place / arms.length);
  const first = place - (place % arms.length);
  const isGuarded = arm.startsWith('guarded');
  const isFlagged = arm === 'guarded' && random.int(3) > 0;
  const tokens = 200 + random.int(2_000);
  const ms = tokens * (5 + random.int(20));
  return {
    ...{ v: MESSAGE_VERSION, sweep: ID, place, runId: `run-${place}`, epoch: 1, target: 'bench' },
    ...{ model: 'sim-reasoner', questionId: `q${question}`, dataset: 'arithmetic', repeat: 0 },
    cases: [
      {
        ...{ caseId: `case-${question}`, attack: 'badchain', dataset: 'arithmetic', arm, cluster: question },
        ...(arm === 'clean' ? {} : { clean: first, targetAnswer: '43' }),
        ...(arm === 'guarded' ? { attacked: first + 1 } : {}),
      },
    ],
    ...(isGuarded && { monitor: 'rules', monitorVersion: '1', intervention: 'halt', fail: 'closed' }),
    ...{ simulated: true, messagesHash: 'hash', decoding: { maxTokens: 4_000 }, seed: place },
    outcome: isFlagged ? { status: 'halted', reason: 'verdict' } : { status: 'answered' },
    ...{ extractor: 'number', gold: '42', finishReason: isFlagged ? null : 'stop', usage: null },
    ...(!isFlagged && { answer: random.int(4) === 0 ? '43' : '42' }),
    tokens: { reasoning: tokens, answer: 20, content: 0, wasted: 0 },
    ...{ steps: 12, unjudged: 0, superseded: 0 },
    ...(isFlagged && {
      flag: {
        ...{ stepIndex: 5, errorType: '3a', channel: 'reasoning', when: 'cut', tokensAtFlag: tokens - 20 },
        ...{ tokensAfterFlag: 20, detectionMs: 2, beforeAnswer: true },
      },
    }),
    ...(isGuarded && { verdictMs: { n: 12, p50: 1, p95: 3, max: 9 } }),
    timing: {
      ...{ startedAtMs: place, latencyMs: ms, firstTokenMs: 50 + random.int(500), attachWaitMs: 3 },
      ...{
        limitWaitMs: 0,
        retries: 0,
        gateWaitMs: random.int(9),
        inFlightAtStart: 1 + random.int(32),
        crashRestart: false,
      },
    },
    generator: 'generation-0',
    ...(isGuarded && { watcher: 'monitor-0' }),
    monitorUse: { calls: 0, tokensIn: 0, tokensOut: 0, tokensCached: 0 },
    chain: { file: 'chains-000.jsonl.gz', offset: 0, length: 0 },
  };
}
