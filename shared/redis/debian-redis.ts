import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { probeRedisServer, type RedisProgram } from './find-redis-server.ts';

const packages = ['redis-server', 'redis-tools'];
/** All of it together: lists, download, unpacking. */
const timeLimitMs = 180_000;
const abandonedAfterMs = 3_600_000;

/** A shell of apt and dpkg: what to run them with, and when to stop. */
interface Tools {
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * The Redis of earlier unpacking, if it still starts.
 *
 * @returns undefined on other systems than Debian and Ubuntu, and when none was unpacked
 */
export async function findUnpackedRedis(cacheDir: string): Promise<RedisProgram | undefined> {
  const release = await debianRelease();
  return release === undefined ? undefined : probeTree(treeOf(cacheDir, release));
}

/**
 * Downloads Debian's or Ubuntu's own Redis packages, with those libraries that the system lacks, and unpacks them into the
 * cache folder. Needs no root and installs nothing. The tree appears whole or not at all; two processes may do this at once.
 *
 * @returns undefined when this is no Debian or Ubuntu, or when it did not work (the reason is logged)
 */
export async function unpackDebianRedis(cacheDir: string, log: Logger): Promise<RedisProgram | undefined> {
  const release = await debianRelease();
  if (release === undefined) return undefined;
  const startedAtMs = Date.now();
  log.info(
    { event: 'redis-download-started' },
    'no redis-server found: downloading one from the package archive of this system (once, a few MB)',
  );
  try {
    const program = await unpackInto(cacheDir, release, { log, signal: AbortSignal.timeout(timeLimitMs) });
    const durationMs = Date.now() - startedAtMs;
    log.info(
      { event: 'redis-download-ended', version: program.version, durationMs },
      'redis-server is ready',
    );
    return program;
  } catch (error) {
    log.warn({ event: 'redis-download-failed', reason: lastLine(error) }, 'downloading redis-server failed');
    return undefined;
  }
}

async function unpackInto(cacheDir: string, release: string, tools: Tools): Promise<RedisProgram> {
  await mkdir(cacheDir, { recursive: true });
  await removeAbandoned(cacheDir);
  const work = await mkdtemp(join(cacheDir, 'redis-unpacking-'));
  try {
    const archives = join(work, 'archives');
    await mkdir(archives);
    await download(work, archives, tools);
    const tree = join(work, 'tree');
    await mkdir(tree);
    for (const name of await readdir(archives)) await run(['dpkg', '-x', join(archives, name), tree], tools);
    if ((await probeTree(tree)) === undefined) {
      throw new Error('what was downloaded is no redis-server that starts here, or is older than 6.2');
    }
    return await publish(tree, treeOf(cacheDir, release));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** With the system's package lists; with own, fresh ones where those are missing (slim images) or out of date. */
async function download(work: string, archives: string, tools: Tools): Promise<void> {
  const state = join(work, 'apt');
  await mkdir(join(state, 'lists', 'partial'), { recursive: true });
  await mkdir(join(state, 'cache', 'archives', 'partial'), { recursive: true });
  const plain = settings({
    // Root would hand over to a user who can't write into our folder.
    'APT::Sandbox::User': 'root',
    'Acquire::http::Timeout': '20',
    'Acquire::Retries': '1',
    // apt's index of the lists: without root it can't keep one in its own place, and makes it anew with each command.
    'Dir::Cache': join(state, 'cache'),
  });
  try {
    await downloadWith(plain, archives, tools);
    return;
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.log.debug({ event: 'redis-download-retried', reason: lastLine(error) }, 'package lists unusable');
  }
  const lists = {
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Acquire::Languages': 'none',
  };
  const own = [...plain, ...settings(lists)];
  await fetchLists(own, tools);
  await downloadWith(own, archives, tools);
}

async function fetchLists(options: readonly string[], tools: Tools): Promise<void> {
  tools.log.info({ event: 'redis-lists-fetched' }, 'fetching fresh package lists (once)');
  try {
    await run(['apt-get', ...options, 'update'], tools);
  } catch (error) {
    tools.signal.throwIfAborted();
    // One unreachable third-party archive fails the command, while the system's own lists have come.
    tools.log.debug(
      { event: 'redis-lists-incomplete', reason: lastLine(error) },
      'some package lists failed',
    );
  }
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function downloadWith(options: readonly string[], archives: string, tools: Tools): Promise<void> {
  const names = [...packages, ...(await missingLibraries(options, tools))];
  await run(['apt-get', ...options, 'download', ...names], tools, archives);
}

/**
 * Libraries that Redis needs and the system lacks, with what these need in turn. Their names differ between releases, so
 * the package lists are asked.
 */
async function missingLibraries(options: readonly string[], tools: Tools): Promise<string[]> {
  const installed = await installedPackages(tools);
  const missing = new Set<string>();
  let asked: readonly string[] = packages;
  while (asked.length > 0) {
    const reply = await run(['apt-cache', ...options, 'depends', ...asked], tools);
    asked = librariesIn(reply).filter((name) => !installed.has(name) && !missing.has(name));
    for (const name of asked) missing.add(name);
  }
  return [...missing];
}

/**
 * The libraries that a reply of `apt-cache depends` names; of alternatives (marked by a bar) the first. Not the C library:
 * every system has its own.
 */
export function librariesIn(dependsReply: string): string[] {
  const names: string[] = [];
  let isAlternative = false;
  for (const line of dependsReply.split('\n')) {
    const [, bar, name] = /^ (\s|\|)(?:Pre)?Depends: (\S+)$/.exec(line) ?? [];
    if (bar === undefined || name === undefined) continue;
    if (!isAlternative && /^lib(?!c6$)[a-z0-9.+-]+$/.test(name)) names.push(name);
    isAlternative = bar === '|';
  }
  return [...new Set(names)];
}

async function installedPackages(tools: Tools): Promise<ReadonlySet<string>> {
  const reply = await run(['dpkg-query', '-W', '-f', '${db:Status-Status} ${Package}\\n'], tools);
  const prefix = 'installed ';
  return new Set(
    reply
      .split('\n')
      .filter((line) => line.startsWith(prefix))
      .map((line) => line.slice(prefix.length)),
  );
}

/** Another process may have been faster: then its tree is used. A tree that no longer starts is replaced. */
async function publish(tree: string, place: string): Promise<RedisProgram> {
  await rename(tree, place).catch(() => undefined); // fails when one stands there
  const program = await probeTree(place);
  if (program !== undefined) return program;
  await rename(place, `${tree}-broken`);
  await rename(tree, place);
  const replaced = await probeTree(place);
  if (replaced === undefined)
    throw new Error('the unpacked redis-server could not be put into the cache folder');
  return replaced;
}

async function probeTree(tree: string): Promise<RedisProgram | undefined> {
  return probeRedisServer(join(tree, 'usr', 'bin', 'redis-server'), await libraryFolders(tree));
}

/** `/usr/lib/x86_64-linux-gnu` and the like, and the same under `/lib` where a package still uses it. */
async function libraryFolders(tree: string): Promise<string> {
  const parents = [join(tree, 'usr', 'lib'), join(tree, 'lib')];
  const folders = await Promise.all(
    parents.map(async (parent) => {
      const names = await readdir(parent).catch(() => []);
      return names.filter((name) => name.includes('-linux-')).map((name) => join(parent, name));
    }),
  );
  return folders.flat().join(':');
}

/** Left behind by a process that was killed while it unpacked. */
async function removeAbandoned(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!name.startsWith('redis-unpacking-')) continue;
    const path = join(cacheDir, name);
    const modifiedAtMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (Date.now() - modifiedAtMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}

/** Home folders are shared between machines: each release and processor has its own tree. */
function treeOf(cacheDir: string, release: string): string {
  return join(cacheDir, `redis-${release}-${process.arch}`);
}

/** Like `debian-12`; undefined on other systems. */
async function debianRelease(): Promise<string | undefined> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string): string => new RegExp(`^${name}=["']?([^"'\\n]*)`, 'm').exec(text)?.[1] ?? '';
  if (!/\b(debian|ubuntu)\b/.test(`${field('ID')} ${field('ID_LIKE')}`)) return undefined;
  return `${field('ID')}-${field('VERSION_ID') || field('VERSION_CODENAME') || 'rolling'}`;
}

async function run(
  [command, ...args]: readonly [string, ...string[]],
  { signal }: Tools,
  cwd?: string,
): Promise<string> {
  const { stdout } = await promisify(execFile)('env', ['LC_ALL=C', command, ...args], {
    signal,
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return stdout;
}

/** apt's own last complaint, which names the cause; else the error's message. */
function lastLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n').at(-1) ?? message;
}
