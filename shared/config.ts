import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { HaltlineError } from './errors.ts';
import { redisOptionsFromUrl } from './redis/connection.ts';

/** Environment variables by name; `process.env` fits. */
export type Environment = Readonly<Record<string, string | undefined>>;

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'expected a port number, 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'expected a port number, 0 to 65535');

const redisUrl = z.string().superRefine((url, context) => {
  try {
    redisOptionsFromUrl(url);
  } catch (error) {
    const message = error instanceof HaltlineError ? error.message : 'unusable';
    context.addIssue({ code: 'custom', message, input: undefined });
  }
});

/** The variables that Haltline reads, by their names in the environment. An empty variable counts as unset. */
export const environmentSchema = z.object({
  REDIS_URL: z.exactOptional(redisUrl),
  HALTLINE_PREFIX: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and dashes')
    .default('hl'),
  HALTLINE_RESULTS_DIR: z.string().default('./results'),
  HALTLINE_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  HALTLINE_LOG_FORMAT: z.exactOptional(z.enum(['pretty', 'json'])),
  HALTLINE_METRICS_HOST: z.string().default('127.0.0.1'),
  HALTLINE_METRICS_PORT: port.default(9464),
  HALTLINE_HEALTH_HOST: z.string().default('127.0.0.1'),
  HALTLINE_HEALTH_PORT: z.exactOptional(port),
  HALTLINE_HTTP_TOKEN: z.exactOptional(
    z
      .string()
      .refine((token) => token === 'none' || token.length >= 16, 'expected 16 characters or more, or none'),
  ),
  HALTLINE_CACHE_DIR: z.exactOptional(z.string()),
  XDG_CACHE_HOME: z.exactOptional(z.string()),
  HOME: z.exactOptional(z.string()),
  PATH: z.string().default(''),
  NO_COLOR: z.exactOptional(z.string()),
  CI: z.exactOptional(z.string()),
});
type Variables = z.infer<typeof environmentSchema>;

export interface Config {
  /** Absent: an embedded Redis is started. */
  readonly redisUrl?: string;
  /** First part of every Redis key and queue name. */
  readonly prefix: string;
  readonly resultsDir: string;
  readonly logLevel: Variables['HALTLINE_LOG_LEVEL'];
  /** Absent: `pretty` on a terminal, else `json`. */
  readonly logFormat?: 'pretty' | 'json';
  readonly metricsHost: string;
  /** 0: any free port. */
  readonly metricsPort: number;
  readonly healthHost: string;
  /** Where a worker answers `/livez`, `/readyz` and `/metrics`; absent: nowhere. 0: any free port. */
  readonly healthPort?: number;
  /** What callers of HTTP servers must show; `none`: nothing. Absent: only loopback is listened on. */
  readonly httpToken?: string;
  /** Where downloads are kept, for all projects of this user. */
  readonly cacheDir: string;
  /** Where programs are looked for, in the form of PATH. */
  readonly searchPath: string;
  /** False when NO_COLOR is set. */
  readonly color: boolean;
  /** Whether a CI system runs this: no progress bars. */
  readonly ci: boolean;
}

/**
 * The only reader of the environment, API keys apart.
 *
 * @throws HaltlineError `CONFIG_INVALID`, one line that names every bad variable and what was expected
 */
export function loadConfig(environment: Environment): Config {
  const parsed = environmentSchema.safeParse(withoutEmpty(environment));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => describeIssue(issue, environment));
    throw new HaltlineError('CONFIG_INVALID', problems.join('; '));
  }
  const variables = parsed.data;
  return {
    ...(variables.REDIS_URL === undefined ? {} : { redisUrl: variables.REDIS_URL }),
    prefix: variables.HALTLINE_PREFIX,
    resultsDir: variables.HALTLINE_RESULTS_DIR,
    logLevel: variables.HALTLINE_LOG_LEVEL,
    ...(variables.HALTLINE_LOG_FORMAT === undefined ? {} : { logFormat: variables.HALTLINE_LOG_FORMAT }),
    metricsHost: variables.HALTLINE_METRICS_HOST,
    metricsPort: variables.HALTLINE_METRICS_PORT,
    healthHost: variables.HALTLINE_HEALTH_HOST,
    ...(variables.HALTLINE_HEALTH_PORT === undefined ? {} : { healthPort: variables.HALTLINE_HEALTH_PORT }),
    ...(variables.HALTLINE_HTTP_TOKEN === undefined ? {} : { httpToken: variables.HALTLINE_HTTP_TOKEN }),
    cacheDir: cacheDirOf(variables),
    searchPath: variables.PATH,
    color: variables.NO_COLOR === undefined,
    ci: variables.CI !== undefined && variables.CI !== 'false' && variables.CI !== '0',
  };
}

/**
 * Reads an API key. White space around it is dropped: keys copied from files often end in a newline.
 *
 * @param name - the variable's name, as the spec gives it
 * @throws HaltlineError `KEY_UNSET`, naming the variable
 */
export function readSecret(environment: Environment, name: string): string {
  const secret = environment[name]?.trim() ?? '';
  if (secret === '') {
    throw new HaltlineError(
      'KEY_UNSET',
      `${name} is not set: put the API key into this environment variable`,
    );
  }
  return secret;
}

function withoutEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

/** The value is quoted where that helps; never a secret. */
function describeIssue(issue: z.core.$ZodIssue, environment: Environment): string {
  const name = String(issue.path[0]);
  if (name === 'REDIS_URL')
    return issue.message.startsWith(name) ? issue.message : `${name}: ${issue.message}`;
  const expected = issue.message.replace(/^Invalid option: /, '');
  if (name === 'HALTLINE_HTTP_TOKEN') return `${name}: ${expected}`;
  return `${name}=${JSON.stringify(environment[name] ?? '')}: ${expected}`;
}

/** The XDG specification has a relative XDG_CACHE_HOME ignored. */
function cacheDirOf(variables: Variables): string {
  if (variables.HALTLINE_CACHE_DIR !== undefined) return variables.HALTLINE_CACHE_DIR;
  const { XDG_CACHE_HOME: xdg } = variables;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(variables.HOME ?? homedir(), '.cache');
  return join(base, 'haltline');
}
