// docs/monitoring against the metrics of a service: every selector of every alert and panel selects something there, and
// every label that is named exists. test/soak/alert-rules.test.ts has Prometheus evaluate the rules.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { z } from 'zod';
import { type MetricFamily, parseMetrics } from '../harness/metrics.js';
import { accepts, askedBy } from '../harness/promql.js';
import { metricsOfService } from '../harness/troubled-service.js';

const folder = new URL('../../../docs/monitoring/', import.meta.url).pathname;
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const rules = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z
          .array(
            z.strictObject({
              alert: z.string().regex(/^Cidermill[A-Za-z]+$/),
              expr: z.string().min(1),
              for: z
                .string()
                .regex(/^\d+[mhd]$/)
                .optional(),
              labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
              annotations: z.strictObject({ summary: z.string(), description: z.string() }),
            }),
          )
          .min(1),
      }),
    ),
  })
  .parse(parse(read('alerts.yaml')))
  .groups.flatMap((group) => group.rules);

const panel = z.object({
  id: z.int(),
  type: z.enum(['row', 'stat', 'timeseries', 'table']),
  title: z.string().min(1),
  gridPos: z.object({ h: z.int().min(1), w: z.int().min(1), x: z.int().min(0), y: z.int().min(0) }),
  targets: z.array(z.object({ refId: z.string(), expr: z.string().min(1), legendFormat: z.string() })).optional(),
});
const dashboard = z
  .object({
    __inputs: z.tuple([z.object({ name: z.literal('DS_PROMETHEUS'), pluginId: z.literal('prometheus') })]),
    uid: z.string(),
    title: z.string(),
    schemaVersion: z.int().min(38),
    templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string() })) }),
    panels: z.array(panel).min(10),
  })
  .parse(JSON.parse(read('grafana.json')));

/** Added by Prometheus when it reads a service. */
const byPrometheus = new Set(['job', 'instance']);
const up = { type: 'gauge', samples: [{ labels: { job: 'cidermill' }, value: 1 }] };

/** Returns what the expression names and the metrics do not have. */
function missing(metrics: ReadonlyMap<string, MetricFamily>, expression: string): string[] {
  const asked = askedBy(expression);
  const problems = asked.selectors.length === 0 ? ['selects nothing'] : [];
  const known = new Set(byPrometheus);
  for (const { metric, matchers } of asked.selectors) {
    const samples = metric === 'up' ? up.samples : (metrics.get(metric)?.samples ?? []);
    if (samples.length === 0) problems.push(`${metric}: is not there`);
    const here = new Set(samples.flatMap(({ labels }) => Object.keys(labels)));
    for (const label of here) known.add(label);
    for (const { label } of matchers) if (!here.has(label)) problems.push(`${metric}: has no label ${label}`);
    const all = samples.some(({ labels }) =>
      matchers.every((matcher) => accepts(matcher, labels[matcher.label as keyof typeof labels] ?? '')),
    );
    if (!all) problems.push(`${metric}: nothing is selected`);
  }
  for (const label of asked.labels) if (!known.has(label)) problems.push(`no label ${label}`);
  return problems;
}

const namedIn = (template: string, pattern: RegExp) => [...template.matchAll(pattern)].map(([, label = '']) => label);
const labelsOf = (metrics: ReadonlyMap<string, MetricFamily>, expression: string) =>
  new Set(
    askedBy(expression).selectors.flatMap(({ metric }) =>
      (metrics.get(metric)?.samples ?? []).flatMap(({ labels }) => Object.keys(labels)),
    ),
  );

const filled = (expression: string) =>
  expression.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:tier|host)\b/g, '.*');

t.test('alerts and the dashboard ask for what /metrics has', async (t) => {
  const metrics = parseMetrics(await metricsOfService(t, true));
  t.ok(rules.length >= 15);
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, 'every alert has its own name');
  for (const { alert, expr, annotations } of rules) {
    t.same(missing(metrics, expr), [], `${alert}: ${expr}`);
    const texts = `${annotations.summary} ${annotations.description}`;
    for (const label of namedIn(texts, /\{\{ *\$labels\.(\w+)/g)) {
      t.ok(labelsOf(metrics, expr).has(label), `${alert}: the label ${label} of its text`);
    }
    t.notMatch(texts.replaceAll(/\{\{[^}]*\}\}/g, ''), /[{}$]/, `${alert}: templates are closed`);
  }

  const ids = dashboard.panels.map(({ id }) => id);
  t.equal(new Set(ids).size, ids.length, 'ids of panels');
  const variables = new Set(dashboard.templating.list.map(({ name }) => name));
  for (const { definition } of dashboard.templating.list) {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition) ?? [];
    t.same(missing(metrics, `sum by (${label}) (${metric})`), [], definition);
  }
  for (const { title, type, targets = [] } of dashboard.panels) {
    t.equal(targets.length > 0, type !== 'row', `${title} shows something`);
    for (const { expr, legendFormat } of targets) {
      for (const name of namedIn(expr, /\$([a-z]\w*)/g)) t.ok(variables.has(name), `${title}: $${name}`);
      t.same(missing(metrics, filled(expr)), [], `${title}: ${expr}`);
      for (const label of namedIn(legendFormat, /\{\{(\w+)\}\}/g)) {
        t.ok(labelsOf(metrics, filled(expr)).has(label), `${title}: ${legendFormat}`);
      }
    }
  }
  for (const [i, a] of dashboard.panels.entries()) {
    for (const b of dashboard.panels.slice(i + 1)) {
      const apart = (from: 'x' | 'y', size: 'w' | 'h') =>
        a.gridPos[from] + a.gridPos[size] <= b.gridPos[from] || b.gridPos[from] + b.gridPos[size] <= a.gridPos[from];
      t.ok(apart('x', 'w') || apart('y', 'h'), `${a.title} and ${b.title} do not overlap`);
    }
  }

  t.same(missing(metrics, 'cidermill_host_upp == 0'), [
    'cidermill_host_upp: is not there',
    'cidermill_host_upp: nothing is selected',
  ]);
  t.same(missing(metrics, 'cidermill_host_up{hots="a"}'), [
    'cidermill_host_up: has no label hots',
    'cidermill_host_up: nothing is selected',
  ]);
  t.same(missing(metrics, 'cidermill_tier_slots{state="fre"}'), ['cidermill_tier_slots: nothing is selected']);
  t.same(missing(metrics, 'sum by (teir) (cidermill_tier_slots)'), ['no label teir']);
  t.same(missing(metrics, 'time() > 5'), ['selects nothing']);
  t.throws(() => askedBy('rat(cidermill_host_up[5m])'), /unknown function/);
});
