import { loadSpec } from '../../producers/load-spec.ts';
import { readSecret } from '../../shared/config.ts';
import { terminalText } from '../../shared/core/terminal-text.ts';
import { HaltlineError } from '../../shared/errors.ts';
import { connectOrExplain, redisOptionsFromUrl } from '../../shared/redis/connection.ts';
import { obtainRedis } from '../../shared/redis/embedded-redis.ts';
import { createKeys } from '../../shared/redis/keys.ts';
import { type TargetSpec, targetSpecSchema } from '../../shared/schemas/sweep-spec.ts';
import { checkOptions } from '../check-options.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import {
  inspectLive,
  inspectRedis,
  judgeLive,
  judgeRedis,
  type LiveFacts,
  type RedisFacts,
} from '../doctor/inspect-redis.ts';
import { judgeEndpoint, specLines } from '../doctor/judge-endpoint.ts';
import { type EndpointFacts, probeEndpoint } from '../doctor/probe-endpoint.ts';
import { openSession, type Session } from '../session.ts';
import type { DoctorFlags } from './doctor.ts';

/** What `--json` prints. What could not be looked at is absent, and among the findings. */
export interface DoctorReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly redis?: RedisFacts;
  readonly live?: LiveFacts;
  readonly endpoint?: EndpointFacts;
  /** YAML: the lines of a spec that fit the endpoint. */
  readonly specLines?: string;
}

/** @returns the exit code */
export async function examine(flags: DoctorFlags): Promise<number> {
  const session = openSession('doctor', { quiet: true });
  const target = await chosenTarget(flags);
  const [stores, endpoint] = [await examineRedis(session), target && (await examineEndpoint(target))];
  const findings = [...stores.findings, ...(endpoint?.findings ?? [])];
  const ok = findings.every(({ level }) => level !== 'fail');
  const report: DoctorReport = { ...stores, ...endpoint, ok, findings };
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : describe(report));
  return ok ? 0 : 1;
}

async function chosenTarget(flags: DoctorFlags): Promise<TargetSpec | undefined> {
  const { spec: file, target: id, url, model, apiKeyEnv } = flags;
  if (file !== undefined && url !== undefined) {
    throw new HaltlineError('CONFIG_INVALID', '--spec and --url: expected one of the two');
  }
  if (file !== undefined) {
    const { targets } = (await loadSpec(file, process.env)).spec;
    const target = id === undefined ? targets[0] : targets.find((candidate) => candidate.id === id);
    if (target) return target;
    const known = targets.map((candidate) => candidate.id).join(', ');
    throw new HaltlineError('CONFIG_INVALID', `--target ${id ?? ''}: expected one of ${known}`);
  }
  if (url === undefined) {
    if (model === undefined && id === undefined) return undefined;
    throw new HaltlineError('CONFIG_INVALID', '--model goes with --url, --target with --spec');
  }
  const config = { apiBaseUrl: url, model, ...(apiKeyEnv !== undefined && { apiKeyEnv }) };
  return checkOptions(targetSpecSchema, { id: 'target', config });
}

async function examineRedis({
  config,
  log,
}: Session): Promise<Pick<DoctorReport, 'findings' | 'redis' | 'live'>> {
  try {
    const obtained = await obtainRedis({ config, log: log.child({}, { level: 'error' }) });
    try {
      const redis = await connectOrExplain(redisOptionsFromUrl(obtained.url), 'commands');
      try {
        const facts = await inspectRedis(redis);
        if (obtained.embedded) {
          const text = 'REDIS_URL is not set: each command starts a Redis and workers of its own';
          return { redis: facts, findings: [judgeRedis(facts), finding('ok', 'sweeps', text)] };
        }
        const live = await inspectLive(redis, createKeys(config.prefix));
        return { redis: facts, live, findings: [judgeRedis(facts), ...judgeLive(live)] };
      } finally {
        redis.disconnect();
      }
    } finally {
      await obtained.stop();
    }
  } catch (error) {
    if (!(error instanceof HaltlineError)) throw error;
    return { findings: [finding('fail', 'redis', error.message)] };
  }
}

async function examineEndpoint(
  target: TargetSpec,
): Promise<Pick<DoctorReport, 'findings' | 'endpoint' | 'specLines'>> {
  const { apiKeyEnv, apiBaseUrl } = target.config;
  const apiKey = apiKeyEnv === undefined ? undefined : readSecret(process.env, apiKeyEnv);
  const facts = await probeEndpoint(target, apiKey);
  if ('problem' in facts) {
    return { findings: [finding('fail', 'endpoint', `${apiBaseUrl}: ${facts.problem}`)] };
  }
  return { endpoint: facts, findings: judgeEndpoint(facts), specLines: specLines(target, facts) };
}

function describe({ findings, specLines: lines }: DoctorReport): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const told = findings.map(
    ({ level, subject, text }) => `${level.padEnd(4)}  ${subject.padEnd(width)}  ${terminalText(text)}\n`,
  );
  return `${told.join('')}${lines === undefined ? '' : `\nFor a spec:\n\n${lines}`}`;
}
