import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadSpec } from '../../producers/load-spec.ts';
import { buildSpecJsonSchema } from '../../producers/spec-json-schema.ts';

function projectFile(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

const isValid = new Ajv({ allErrors: true, strict: false }).compile(buildSpecJsonSchema());

/** What an editor would underline: the places that do not fit. */
function complaints(spec: unknown): string[] {
  return isValid(spec) ? [] : (isValid.errors ?? []).map(({ instancePath }) => instancePath);
}

const spec = {
  name: 'small',
  targets: [{ id: 'a', config: { apiBaseUrl: 'http://127.0.0.1:1/v1', model: 'm' } }],
  attacks: ['badchain'],
  datasets: ['arithmetic'],
};

describe('the JSON Schema of specs', () => {
  it('in the repository is the one that the code makes (`npm run schema` writes it)', async () => {
    const written: unknown = JSON.parse(
      await readFile(projectFile('shared/schemas/sweep-spec.schema.json'), 'utf8'),
    );
    expect(written).toEqual(JSON.parse(JSON.stringify(buildSpecJsonSchema())));
  });

  it.each(['first-sweep', 'four-attacks', 'monitors'])(
    'accepts the example %s, and so does the command',
    async (name) => {
      const path = projectFile(`scripts/examples/${name}.yaml`);
      const text = await readFile(path, 'utf8');
      expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/\.\.\/shared\/schemas\/sweep-spec\./);
      const value: unknown = parse(text);
      expect(complaints(value)).toEqual([]);
      expect((await loadSpec(path, {})).spec.name).toBe(name);
    },
  );

  it('accepts bare names, entries without an id, variables, and a module', () => {
    const config = { apiBaseUrl: '${BASE_URL}', model: '${MODEL}', apiKeyEnv: 'KEY' };
    const attacks = [
      'paa',
      { name: 'badchain' },
      { name: 'mine', module: './mine.ts', parameters: { a: 1 } },
    ];
    const monitors = ['rules', { name: 'rules', id: 'r2', policy: 'sensitive' }, { name: 'llm', config }];
    expect(complaints({ ...spec, attacks, monitors, targets: [{ id: 'a', config }] })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an unknown key', { sede: 1 }, ''],
    ['an unknown attack', { attacks: ['badchian'] }, '/attacks/0'],
    [
      'an unknown parameter of an attack',
      { attacks: [{ name: 'badchain', parameters: { triger: 'x' } }] },
      '/attacks/0/parameters',
    ],
    [
      'a parameter out of range',
      { attacks: [{ name: 'overthink', parameters: { difficulty: 6 } }] },
      '/attacks/0/parameters/difficulty',
    ],
    ['a built-in set that is none', { datasets: ['arithmetics'] }, '/datasets/0'],
    ['a monitor without its model', { monitors: [{ name: 'llm' }] }, '/monitors/0'],
    ['a number in words', { repeat: 'three' }, '/repeat'],
    [
      'an address of another kind',
      { targets: [{ id: 'a', config: { apiBaseUrl: 'ftp://a', model: 'm' } }] },
      '/targets/0/config/apiBaseUrl',
    ],
  ])('refuses %s where it stands', (_, change, place) => {
    expect(complaints({ ...spec, ...change })).toContain(place);
  });
});
