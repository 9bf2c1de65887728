import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, readSecret } from '../../shared/config.ts';
import { HaltlineError } from '../../shared/errors.ts';

function failureOf(action: () => unknown): HaltlineError {
  try {
    action();
  } catch (error) {
    if (error instanceof HaltlineError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('loadConfig', () => {
  test('an empty environment gives the defaults', () => {
    expect(loadConfig({})).toEqual({
      prefix: 'hl',
      resultsDir: './results',
      logLevel: 'info',
      metricsHost: '127.0.0.1',
      metricsPort: 9464,
      healthHost: '127.0.0.1',
      cacheDir: join(homedir(), '.cache', 'haltline'),
      searchPath: '',
      color: true,
      ci: false,
    });
  });

  test('every variable is read', () => {
    const config = loadConfig({
      REDIS_URL: 'redis://redis:6380/2',
      HALTLINE_PREFIX: 'team-7',
      HALTLINE_RESULTS_DIR: '/data/results',
      HALTLINE_LOG_LEVEL: 'debug',
      HALTLINE_LOG_FORMAT: 'json',
      HALTLINE_METRICS_HOST: '0.0.0.0',
      HALTLINE_METRICS_PORT: '0',
      HALTLINE_CACHE_DIR: '/var/cache/haltline',
      PATH: '/usr/bin:/bin',
      NO_COLOR: '1',
      CI: 'true',
      HALTLINE_HEALTH_HOST: '::',
      HALTLINE_HEALTH_PORT: '9465',
    });
    expect(config).toEqual({
      redisUrl: 'redis://redis:6380/2',
      prefix: 'team-7',
      resultsDir: '/data/results',
      logLevel: 'debug',
      logFormat: 'json',
      metricsHost: '0.0.0.0',
      metricsPort: 0,
      healthHost: '::',
      healthPort: 9465,
      cacheDir: '/var/cache/haltline',
      searchPath: '/usr/bin:/bin',
      color: false,
      ci: true,
    });
  });

  test('an empty variable counts as unset', () => {
    const config = loadConfig({ REDIS_URL: '', HALTLINE_PREFIX: '', NO_COLOR: '', CI: '' });
    expect(config).toEqual(loadConfig({}));
  });

  test('all bad variables are named in one error, with what was expected', () => {
    const error = failureOf(() =>
      loadConfig({ HALTLINE_PREFIX: 'A:b', HALTLINE_METRICS_PORT: '70000', HALTLINE_LOG_LEVEL: 'loud' }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('HALTLINE_PREFIX="A:b": expected lower-case letters, digits and dashes');
    expect(error.message).toContain('HALTLINE_METRICS_PORT="70000": expected a port number, 0 to 65535');
    expect(error.message).toContain('HALTLINE_LOG_LEVEL="loud": expected one of "trace"|"debug"|"info"');
    expect(error.message).not.toContain('\n');
  });

  test('a port is digits only', () => {
    for (const value of ['-1', '1e3', '0x10', ' 80', '80.5', 'http']) {
      expect(failureOf(() => loadConfig({ HALTLINE_METRICS_PORT: value })).code).toBe('CONFIG_INVALID');
    }
  });

  test('a bad REDIS_URL is named without its password', () => {
    const error = failureOf(() => loadConfig({ REDIS_URL: 'http://user:hunter2@host:6379' }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toMatch(/^REDIS_URL is not of the form redis\[s\]:/);
    expect(error.message).not.toContain('hunter2');
  });

  test('the cache folder follows XDG_CACHE_HOME when that is absolute', () => {
    expect(loadConfig({ XDG_CACHE_HOME: '/xdg', HOME: '/home/u' }).cacheDir).toBe('/xdg/haltline');
    expect(loadConfig({ XDG_CACHE_HOME: 'xdg', HOME: '/home/u' }).cacheDir).toBe('/home/u/.cache/haltline');
  });

  test('CI=false is no CI', () => {
    expect(loadConfig({ CI: 'false' }).ci).toBe(false);
    expect(loadConfig({ CI: '1' }).ci).toBe(true);
  });
});

describe('readSecret', () => {
  test('a key is found by the name of its variable, without the newline of the file it came from', () => {
    expect(readSecret({ MY_KEY: 'sk-123\n' }, 'MY_KEY')).toBe('sk-123');
  });

  test('a missing or blank key is an error that names the variable', () => {
    for (const environment of [{}, { MY_KEY: '' }, { MY_KEY: ' \n' }]) {
      const error = failureOf(() => readSecret(environment, 'MY_KEY'));
      expect(error.code).toBe('KEY_UNSET');
      expect(error.message).toContain('MY_KEY');
    }
  });
});
