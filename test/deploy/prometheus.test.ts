import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { metricDefinitions } from '../../shared/observability/metrics-registry.ts';
import { outcomeNames } from '../../workers/metrics/run-facts.ts';

const dashboard = z
  .object({
    templating: z.object({ list: z.array(z.object({ name: z.string() })) }),
    panels: z.array(
      z.object({
        id: z.number(),
        title: z.string(),
        targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).min(1),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('scripts/deploy/grafana/dashboards/haltline.json', 'utf8')));

const rules = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({ alert: z.string(), expr: z.string(), annotations: z.record(z.string(), z.string()) }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync('scripts/deploy/alert-rules.yml', 'utf8')))
  .groups.flatMap((group) => group.rules);

const dashboardText = JSON.stringify(dashboard);
const panelExpressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const expressions = [...panelExpressions, ...rules.map(({ expr }) => expr)];
const labelsOf = new Map<string, readonly string[]>(
  Object.entries(metricDefinitions).map(([name, [, , labels]]) => [name, labels]),
);

/** Selectors as written: name and matchers. */
function selectors(expression: string): { name: string; matchers: string }[] {
  return [...expression.matchAll(/\b(haltline_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      matchers,
    }),
  );
}

test('every metric that a panel or an alert names is one that is served', () => {
  const named = expressions.flatMap(selectors).map(({ name }) => name);
  const inVariables = readFileSync('scripts/deploy/grafana/dashboards/haltline.json', 'utf8').match(
    /haltline_\w+/g,
  );
  expect(named.length).toBeGreaterThan(30);
  expect([...new Set([...named, ...(inVariables ?? [])])].filter((name) => !labelsOf.has(name))).toEqual([]);
});

test('a selector asks only for labels that its metric has', () => {
  const unknown = expressions.flatMap(selectors).flatMap(({ name, matchers }) => {
    const asked = [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label);
    return asked.filter((label) => labelsOf.get(name)?.includes(label) !== true).map((l) => `${name}.${l}`);
  });
  expect(unknown).toEqual([]);
});

/** What a `by (...)` leaves of the labels, else all labels of the metric. */
function labelsLeft(expression: string): readonly string[] {
  const grouping = /\bby \(([^)]*)\)/.exec(expression)?.[1];
  return grouping?.split(/,\s*/) ?? labelsOf.get(selectors(expression)[0]?.name ?? '') ?? [];
}

test('a grouping names labels of its metric, and a legend those that are left', () => {
  for (const expression of expressions.filter((candidate) => candidate.includes('by ('))) {
    const labels = labelsOf.get(selectors(expression)[0]?.name ?? '');
    for (const label of labelsLeft(expression)) expect(labels, expression).toContain(label);
  }
  for (const { expr, legendFormat } of dashboard.panels.flatMap(({ targets }) => targets)) {
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
    expect(shown.length, legendFormat).toBeGreaterThan(0);
    for (const label of shown) expect(labelsLeft(expr), expr).toContain(label);
  }
});

test('counters are read as counters: a rate is asked of nothing else', () => {
  const types = new Map(Object.entries(metricDefinitions).map(([name, [type]]) => [name, type]));
  const rated = expressions.flatMap((expression) => [
    ...expression.matchAll(/(?:rate|increase)\((haltline_\w+)/g),
  ]);
  expect(rated.length).toBeGreaterThan(3);
  for (const [, name = ''] of rated) expect(types.get(name), name).toBe('counter');
});

test('outcomes in alerts are outcomes that a run can have', () => {
  const asked = rules.flatMap(({ expr }) => [...expr.matchAll(/outcome="(\w+)"/g)].map(([, name]) => name));
  expect(asked).toEqual(['failed', 'halted_monitor_error']);
  for (const outcome of asked) expect(outcomeNames).toContain(outcome);
});

test('the dashboard shows attack success, amplification, interrupts, outcomes, queues, backlog, verdicts and pace', () => {
  for (const name of [
    'haltline_asr_wrong_ratio',
    'haltline_taf_ratio',
    'haltline_laf_vs_clean_ratio',
    'haltline_laf_guarded_ratio',
    'haltline_interrupted_ratio',
    'haltline_false_interrupts_ratio',
    'haltline_runs_total',
    'haltline_queue_jobs',
    'haltline_results_backlog_bytes',
    'haltline_verdict_p95_seconds',
  ]) {
    expect(dashboardText).toContain(name);
  }
  expect(panelExpressions.some((expression) => /rate\(haltline_runs_total/.test(expression))).toBe(true);
});

test('a panel uses only variables that the dashboard has, and no panel has the id of another', () => {
  const known = dashboard.templating.list.map(({ name }) => name);
  const used = panelExpressions.flatMap((expression) => expression.match(/(?<=\$)[a-z]+/g) ?? []);
  for (const name of new Set(used)) expect(known).toContain(name);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every alert says in a line what is wrong, and in another what to do', () => {
  for (const { alert, annotations } of rules) {
    expect(annotations.summary, alert).toBeTruthy();
    expect(annotations.description, alert).toMatch(/\.$/);
  }
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test.skipIf(!hasPromtool)(
  'Prometheus accepts its configuration and the rules (needs promtool on PATH)',
  () => {
    // The token's file is there only in the container.
    const folder = mkdtempSync(join(tmpdir(), 'haltline-prometheus-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const configured = readFileSync('scripts/deploy/prometheus.yml', 'utf8');
    expect(configured).toContain('/run/haltline/http-token');
    const tokenFile = join(folder, 'http-token');
    writeFileSync(tokenFile, 'none');
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, configured.replaceAll('/run/haltline/http-token', tokenFile));
    copyFileSync('scripts/deploy/alert-rules.yml', join(folder, 'alert-rules.yml'));
    const { status, stderr } = spawnSync('promtool', ['check', 'config', config], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  },
);

test.skipIf(!hasPromtool)('alerts fire when they should, and only then (needs promtool on PATH)', () => {
  const { status, stdout } = spawnSync(
    'promtool',
    ['test', 'rules', 'test/deploy/alert-rules.promtool.yml'],
    {
      encoding: 'utf8',
    },
  );
  expect(stdout).toMatch(/SUCCESS/);
  expect(status).toBe(0);
});
