// docs/doctor.md against the checks.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { checks } from '../../../host-agent/doctor/checks/table.js';

const WHERE = { all: '', vm: 'virtual machines', local: 'driver local' } as const;

t.test('the table in docs/doctor.md lists the checks', async (t) => {
  const page = readFileSync(new URL('../../../../docs/doctor.md', import.meta.url), 'utf8');
  const lines = page.split('\n').filter((line) => line.startsWith('|') && !/^\| (?:to|status|exit)/.test(line));
  const rows = checks.map(({ check, needs, drivers, why, help }) => {
    const where = [needs === 'macos' ? 'macOS' : '', WHERE[drivers]].filter((part) => part !== '').join(', ');
    return `| \`${check}\` | ${where || 'everywhere'} | ${why} | ${help} |`;
  });
  const table = ['| check | where | why | what helps |', '|---|---|---|---|', ...rows];
  for (const line of table) t.ok(lines.includes(line), line);
  const named = [...page.matchAll(/--check ([a-z_]+)/g)].map(([, name]) => name);
  t.same(
    named.filter((name) => !checks.some(({ check }) => check === name)),
    [],
  );
});
