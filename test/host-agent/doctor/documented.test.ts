// docs/doctor.md against the checks.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { tableOfChecks } from '../../../host-agent/doctor/checks/documented.js';
import { checks } from '../../../host-agent/doctor/checks/table.js';

t.test('the table in docs/doctor.md is that of the checks', async (t) => {
  const page = readFileSync(new URL('../../../../docs/doctor.md', import.meta.url), 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('|') && !/^\| (?:to|status|exit)/.test(line));
  for (const line of tableOfChecks(checks).split('\n')) t.ok(lines.includes(line), line);
  const named = [...page.matchAll(/--check ([a-z_]+)/g)].map(([, name]) => name);
  t.same(
    named.filter((name) => !checks.some(({ check }) => check === name)),
    [],
  );
});
