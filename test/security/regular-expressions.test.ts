import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['shared', 'producers', 'workers'];

/** What is wrong with one is decided from its automaton, where it has one. */
const byAutomaton = { timeout: 2_000, checker: 'automaton' } as const;
/** Else attack strings are bred, from one seed, for a matcher that counts its steps. */
const byCounting = {
  timeout: 20_000,
  checker: 'fuzz',
  randomSeed: 1,
  attackLimit: 20_000_000,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 20,
  maxIteration: 3,
} as const;

interface Found {
  readonly at: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression literal of the code that reads model text, data sets, specs and configuration. */
function findAll(): Found[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => findIn(join(folder, name))),
  );
}

function findIn(path: string): Found[] {
  const text = readFileSync(join(root, path), 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, false);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ at: path, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Each once, with what the automaton says of it. */
const all = new Map(findAll().map((found) => [`/${found.source}/${found.flags}`, found]));
const statusOf = new Map(
  [...all].map(([literal, { source, flags }]) => [literal, checkSync(source, flags, byAutomaton).status]),
);

/** Quadratic ones that are known, by their beginning, and why they stand. Seconds are those of 64 kB of the worst text. */
const known: Readonly<Record<string, string>> = {
  '/(?:\\p{L}{2,} +){2}': 'prose in an answer, of 1,000 characters at most: under 1 ms',
  '/\\$([^$]+)\\$|': 'formulas in an answer, of its last 4,000 characters: 3 ms',
  '/(\\$?)\\$\\{': "a spec is its writer's own: 1.6 s on open braces alone",
};

test('no regular expression that reads text from outside is super-linear, but for those that are known', () => {
  expect(all.size).toBeGreaterThan(100);
  const superLinear = [...all].filter(
    // What the checker can't decide (long alternatives, looking back) is the next test's.
    ([literal]) => statusOf.get(literal) === 'vulnerable',
  );
  const isKnown = ([literal]: [string, Found]): boolean =>
    Object.keys(known).some((beginning) => literal.startsWith(beginning));
  expect(superLinear.filter((one) => !isKnown(one)).map(([literal, { at }]) => `${at}: ${literal}`)).toEqual(
    [],
  );
  expect(superLinear.length, 'the known ones are still there').toBe(Object.keys(known).length);
}, 60_000);

/** Files that put expressions together when they are loaded. */
const building = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter(
    (path) => path.endsWith('.ts') && /^const .*new RegExp\(/m.test(readFileSync(join(root, path), 'utf8')),
  );

async function findBuilt(): Promise<Found[]> {
  const found: Found[] = [];
  const Original = globalThis.RegExp;
  let at = '';
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, [source, flags]: [string | RegExp, string | undefined]) => {
      const built = new target(source, flags);
      found.push({ at, source: built.source, flags: built.flags });
      return built;
    },
  });
  try {
    for (at of building) await import(pathToFileURL(join(root, at)).href);
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

/**
 * From each start these look at so many characters more, whatever follows: many steps a character, and linear. Four times
 * the text takes four times as long (`npm run bench -- regular-expressions`).
 */
const boundedLook: Readonly<Record<string, string>> = {
  '/\\\\f?boxed?': 'announcements of an answer: 48 characters',
  '/(?<![\\p{L}\\p{N}.,])[$€£]?': 'a product in a step: 72 characters behind each number',
  '/\\b(?:if|suppose|': 'what an equation stands under: 60 characters',
};

test('what the checker cannot decide, and what is put together from parts, is super-linear for no attack that it breeds', async () => {
  expect(building.length).toBeGreaterThanOrEqual(6);
  const built = await findBuilt();
  expect(built.map(({ at }) => at)).toEqual(expect.arrayContaining(building));
  const undecided = [...all].filter(([literal]) => statusOf.get(literal) === 'unknown');
  const others = new Map([
    ...undecided,
    ...built.map((found): [string, Found] => [`/${found.source}/${found.flags}`, found]),
  ]);
  const superLinear = [...others].filter(
    ([literal, { source, flags }]) =>
      !Object.keys(boundedLook).some((beginning) => literal.startsWith(beginning)) &&
      checkSync(source, flags, byCounting).status !== 'safe',
  );
  expect(superLinear.map(([literal, { at }]) => `${at}: ${literal}`)).toEqual([]);
}, 120_000);

test('the attacks that are bred find what is quadratic', () => {
  for (const quadratic of [/\s*,\s*(?=[a-e]\s*\))/, /^[\s*["']*[(["*']+\s*([A-Za-z])/, /(?<!x)\s*;/])
    expect(checkSync(quadratic.source, quadratic.flags, byCounting).status, String(quadratic)).toBe(
      'vulnerable',
    );
});
