import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as requestHttp, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createSimulator } from '../../scripts/simulator/create-simulator.ts';
import { summarySchema } from '../../shared/schemas/summary.ts';
import { closedPort } from '../../scripts/loopback-ports.ts';
import { type HaltlineProcess, startHaltline, temporaryFolder, writeSpec } from '../support/processes.ts';
import { ownRedis } from '../support/redis.ts';

/** What must be found nowhere; the password needs escapes within a URL. */
const secrets = {
  targetKey: `sk-target-${randomUUID()}`,
  monitorKey: `sk-monitor-${randomUUID()}`,
  redisPassword: `p@ss/word:${randomUUID()}`,
};
const forms = Object.entries(secrets).flatMap(([name, secret]) => {
  const texts = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  // Within other text that was encoded: what of it doesn't depend on its neighbours.
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + secret)
      .toString('base64')
      .slice(4, 32),
  );
  return [...texts, ...encoded].map((text) => ({ name, bytes: Buffer.from(text) }));
});

/** Where something was looked at, and which secrets are in it. */
const looked: string[] = [];
const leaks: string[] = [];

function look(where: string, content: Buffer | string): void {
  const bytes = Buffer.from(content);
  looked.push(where);
  for (const { name, bytes: form } of forms) {
    const at = bytes.indexOf(form);
    if (at !== -1) leaks.push(`${name} in ${where}: ${bytes.toString('utf8', Math.max(0, at - 120), at)}`);
  }
}

test(
  'keys and passwords are in nothing that a sweep leaves, writes or shows, whatever fails',
  { timeout: 180_000 },
  async () => {
    const redis = await ownRedis({ appendonly: true });
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    await client.config('SET', 'rdbcompression', 'no');
    await client.config('SET', 'requirepass', secrets.redisPassword);
    await client.auth(secrets.redisPassword);
    const simulator = await createSimulator();
    onTestFinished(() => simulator.close());
    const target = await startTattler(simulator.port);
    const monitor = await startTattler(simulator.port);
    const dir = await temporaryFolder();
    const metricsPort = await closedPort();
    const healthPort = await closedPort();
    const password = encodeURIComponent(secrets.redisPassword);
    const env = {
      REDIS_URL: redis.url.replace('//', `//:${password}@`),
      PLANTED_TARGET_KEY: secrets.targetKey,
      PLANTED_MONITOR_KEY: secrets.monitorKey,
      HALTLINE_RESULTS_DIR: dir,
      HALTLINE_METRICS_PORT: String(metricsPort),
      HALTLINE_LOG_LEVEL: 'trace',
    };
    const spec = await writeSpec(dir, specOf(target.url, monitor.url));
    const processes: Record<string, HaltlineProcess> = {
      generation: startHaltline(['worker', 'generation', '--health-port', String(healthPort)], env),
      monitor: startHaltline(['worker', 'monitor'], env),
      metrics: startHaltline(['worker', 'metrics'], env),
      producer: startHaltline(['run', spec, '--no-workers', '--json'], env),
    };
    const { producer } = processes;
    let pages = 0;
    const shown = setInterval(() => {
      for (const port of [metricsPort, healthPort]) {
        void fetch(`http://127.0.0.1:${String(port)}/metrics`)
          .then((response) => response.text())
          .then((text) => {
            pages += 1;
            look('figures while running', text);
          })
          .catch(() => undefined);
      }
    }, 500);
    onTestFinished(() => clearInterval(shown));
    await expect.poll(() => target.asked() > 12, { timeout: 60_000, interval: 20 }).toBe(true);
    look('redis while running', await dumpOf(client, redis.dir));
    for (const [pid, line] of await commandLines()) look(`command line of ${pid}`, line);
    // Comes back without a password, which AUTH then complains of.
    client.disconnect();
    await redis.stop();
    await expect.poll(() => processes.generation?.stderr(), { timeout: 20_000 }).toContain('redis-lost');
    await redis.restart();
    expect(await producer?.ended, producer?.stderr()).toBe(0);
    clearInterval(shown);
    const { sweep } = summarySchema.parse(JSON.parse(producer?.stdout() ?? ''));
    look('figures', await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text());
    for (const [name, args, changed] of followUps(spec, join(dir, sweep), env.REDIS_URL)) {
      const command = startHaltline(args, { ...env, ...changed });
      processes[name] = command;
      await command.ended;
    }
    for (const name of ['generation', 'monitor', 'metrics']) {
      processes[name]?.kill('SIGTERM');
      await processes[name]?.ended;
    }
    const after = new Redis(redis.url);
    onTestFinished(() => after.disconnect());
    await after.config('SET', 'rdbcompression', 'no');
    look('redis after', await dumpOf(after, redis.dir));
    for (const file of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) look(`file ${file.name}`, await readFile(join(file.parentPath, file.name)));
    }
    for (const [name, ended] of Object.entries(processes)) {
      look(`output of ${name}`, ended.stdout());
      look(`log of ${name}`, ended.stderr());
    }
    // What was planted was used, and what is looked at holds what it should.
    expect([target.heard(secrets.targetKey), monitor.heard(secrets.monitorKey)]).toEqual([true, true]);
    expect(pages).toBeGreaterThan(0);
    expect(looked).toEqual(
      expect.arrayContaining(['file runs.jsonl', 'log of generation', 'output of report']),
    );
    expect(processes.generation?.stderr()).toMatch(/"level":"debug"/);
    expect(processes.wrongPassword?.stderr()).toMatch(/WRONGPASS/);
    expect(processes.unreachable?.stderr()).toMatch(/ECONNREFUSED/);
    expect(leaks).toEqual([]);
  },
);

function specOf(targetUrl: string, monitorUrl: string): object {
  const judge = { apiBaseUrl: monitorUrl, apiKeyEnv: 'PLANTED_MONITOR_KEY', model: 'sim-monitor' };
  return {
    name: 'planted',
    targets: [
      {
        id: 'sim',
        concurrency: 2,
        config: { apiBaseUrl: targetUrl, apiKeyEnv: 'PLANTED_TARGET_KEY', model: 'sim-reasoner' },
        decoding: { maxTokens: 300 },
      },
    ],
    attacks: ['badchain'],
    datasets: [{ id: 'arithmetic', limit: 8 }],
    monitors: [{ id: 'judge', name: 'llm', config: judge }],
    arms: ['clean', 'attacked', 'guarded'],
    fail: 'open',
    limits: { attempts: 2, epochs: 1 },
  };
}

/** Commands that a person types afterwards, and failures in which an address or a key would be quoted. */
function followUps(
  spec: string,
  folder: string,
  url: string,
): (readonly [string, readonly string[], Record<string, string>])[] {
  const elsewhere = url.replace(/:\d+$/, ':1');
  const wrong = url.replace('//:', '//nobody:');
  return [
    ['report', ['report', folder], {}],
    ['again', ['run', spec], {}],
    ['doctor', ['doctor', '--spec', spec, '--target', 'sim'], {}],
    ['validate', ['validate', spec], {}],
    ['unreachable', ['run', spec, '--new'], { REDIS_URL: elsewhere }],
    ['unreachableWorker', ['worker', 'metrics'], { REDIS_URL: elsewhere }],
    ['wrongPassword', ['worker', 'generation'], { REDIS_URL: wrong }],
    ['unusable', ['worker', 'monitor'], { REDIS_URL: `${url}/no-database` }],
  ];
}

interface Tattler {
  readonly url: string;
  asked(): number;
  heard(key: string): boolean;
}

/** Passes every other request on to the simulator, and refuses the rest in every way in which servers quote a key. */
async function startTattler(simulatorPort: number): Promise<Tattler> {
  const heard = new Set<string>();
  let asked = 0;
  const server = createServer((message, response) => {
    const key = (message.headers.authorization ?? '').replace('Bearer ', '');
    heard.add(key);
    asked += 1;
    if (asked % 2 === 0) {
      const { method, url, headers } = message;
      const onward = requestHttp({ host: '127.0.0.1', port: simulatorPort, method, path: url, headers });
      onward.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      message.pipe(onward);
    } else {
      message.resume();
      refuse(response, asked % 6, key);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${String(address.port)}/v1`,
    asked: () => asked,
    heard: (key) => heard.has(key),
  };
}

function refuse(response: ServerResponse, how: number, key: string): void {
  // Its code says that asking again is no use: so the run fails of it.
  const error = { message: `Incorrect API key: ${key}`, type: `no ${key}`, code: `invalid_key ${key}` };
  if (how === 1) {
    response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': `Bearer ${key}` });
    response.end(JSON.stringify({ error }));
  } else if (how === 3) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ error })}\n\n`);
  } else {
    response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': key }).end(`gateway: ${key}`);
  }
}

/** Everything that Redis holds, uncompressed, and what a person sees of its clients. */
async function dumpOf(redis: Redis, dir: string): Promise<Buffer> {
  await redis.save();
  const lists = await redis.call('CLIENT', 'LIST');
  const file = await readFile(join(dir, 'dump.rdb'));
  expect(file.includes('hl:sweep:'), 'the dump can be read').toBe(true);
  return Buffer.concat([file, Buffer.from(String(lists))]);
}

async function commandLines(): Promise<[string, Buffer][]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = pids.map(async (pid): Promise<[string, Buffer]> => {
    const parts = ['cmdline', 'comm'].map((part) =>
      readFile(`/proc/${pid}/${part}`).catch(() => Buffer.of()),
    );
    return [pid, Buffer.concat(await Promise.all(parts))];
  });
  return Promise.all(lines);
}
