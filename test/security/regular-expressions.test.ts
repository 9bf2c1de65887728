import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSync } from 'recheck';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['shared', 'producers', 'workers'];

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

/** Quadratic ones that are known, by their beginning, and why they stand. Seconds are those of 64 kB of the worst text. */
const known: Readonly<Record<string, string>> = {
  '/(?:\\p{L}{2,} +){2}': 'prose in an answer, of 1,000 characters at most: under 1 ms',
  '/\\$([^$]+)\\$|': 'formulas in an answer, of its last 4,000 characters: 3 ms',
  '/(\\$?)\\$\\{': "a spec is its writer's own: 1.6 s on open braces alone",
  '/^\\s*\\(?\\s*([A-Za-z])': 'options of a data set: 3.8 s on white space alone',
};

test('no regular expression that reads text from outside is super-linear, but for those that are known', () => {
  const all = new Map(findAll().map((found) => [`/${found.source}/${found.flags}`, found]));
  expect(all.size).toBeGreaterThan(100);
  const superLinear = [...all].filter(
    // What the checker can't decide (long alternatives, looking back) is not told of.
    ([, { source, flags }]) =>
      checkSync(source, flags, { timeout: 2_000, checker: 'automaton' }).status === 'vulnerable',
  );
  const isKnown = ([literal]: [string, Found]): boolean =>
    Object.keys(known).some((beginning) => literal.startsWith(beginning));
  expect(superLinear.filter((one) => !isKnown(one)).map(([literal, { at }]) => `${at}: ${literal}`)).toEqual(
    [],
  );
  expect(superLinear.length, 'the known ones are still there').toBe(Object.keys(known).length);
}, 60_000);
