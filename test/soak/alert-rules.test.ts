// The alert rules as Prometheus evaluates them (`promtool`, of Debian's package prometheus): none fires for a service that
// is well, every one for a service with all troubles. The series are those of /metrics.
// Requires: promtool
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse, stringify } from 'yaml';
import { START } from '../harness/harness.js';
import { parseMetrics } from '../harness/metrics.js';
import { metricsOfService } from '../harness/troubled-service.js';

const rules = new URL('../../../docs/monitoring/alerts.yaml', import.meta.url).pathname;
const HOURS = 4;
const MINUTES = HOURS * 60;

function promtool(folder: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((done) => {
    execFile('promtool', args, { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ ok: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

/** What the service of a test cannot show: other values of metrics that it has. */
const replaced = (troubled: boolean): Readonly<Record<string, number>> => ({
  cidermill_site_certificate_valid: troubled ? 0 : 1,
  cidermill_site_certificate_expiry_timestamp_seconds: HOURS * 3600 + (troubled ? 1 : 60) * 86_400,
  ...(troubled ? { cidermill_availability_differences: 1, cidermill_delivery_overdue_seconds: 600 } : {}),
});

/** Each series over four hours: counters rise while there is trouble, times are as old as they are now. */
async function seriesOf(t: Test, troubled: boolean) {
  const metrics = parseMetrics(await metricsOfService(t, troubled));
  const instead = replaced(troubled);
  for (const name of Object.keys(instead)) t.ok(metrics.get(name)?.samples.length, `${name} is a metric`);
  const nowS = (START + (troubled ? 2 * 3_600_000 : 0)) / 1000;
  const series = [{ series: 'up{job="cidermill"}', values: `${troubled ? 0 : 1}+0x${MINUTES}` }];
  for (const [name, { type, samples }] of metrics) {
    for (const { labels, value } of samples) {
      const isTime = name.endsWith('_timestamp_seconds');
      const now = instead[name] ?? (isTime ? value - nowS + HOURS * 3600 : value);
      const step = troubled && type !== 'gauge' ? 5 : 0;
      const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
      series.push({ series: `${name}{${pairs.join(',')}}`, values: `${now}+${step}x${MINUTES}` });
    }
  }
  return series;
}

const firing = 'count by (alertname) (ALERTS{alertstate="firing"}) > bool 0';

t.test('Prometheus accepts the rules; they fire for trouble, and only then', async (t) => {
  const folder = t.testdir({});
  copyFileSync(rules, join(folder, 'alerts.yaml'));
  const checked = await promtool(folder, 'check', 'rules', 'alerts.yaml');
  t.ok(checked.ok, checked.output);
  const { groups } = parse(readFileSync(rules, 'utf8')) as {
    groups: { rules: { alert: string }[] }[];
  };
  const names = groups.flatMap((group) => group.rules.map(({ alert }) => alert));
  t.ok(names.length >= 15);
  const testOf = (input_series: object[], fired: readonly string[]) => ({
    interval: '1m',
    input_series,
    promql_expr_test: [
      {
        expr: firing,
        eval_time: `${HOURS}h`,
        exp_samples: fired.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  });
  const run = async (name: string, tests: object[]) => {
    const file = { rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests };
    writeFileSync(join(folder, name), stringify(file));
    return promtool(folder, 'test', 'rules', name);
  };
  const [well, troubled] = [await seriesOf(t, false), await seriesOf(t, true)];
  const both = await run('tests.yaml', [testOf(well, []), testOf(troubled, names)]);
  t.ok(both.ok, both.output);
  const wrong = await run('wrong.yaml', [testOf(well, names.slice(0, 1)), testOf(troubled, [])]);
  t.notOk(wrong.ok, 'a test that expects something else fails');
});
