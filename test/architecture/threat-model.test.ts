// docs/security.md names at least one existing test for every threat.
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const root = new URL('../../../', import.meta.url).pathname;
const tests = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => path.replace(/\.test\.ts$/, ''));

/** Returns whether a test has this name. `*` matches any ending. */
const exists = (name: string) =>
  name.endsWith('*') ? tests.some((path) => path.startsWith(name.slice(0, -1))) : tests.includes(name);

t.test('every threat has a test', async (t) => {
  const page = readFileSync(`${root}docs/security.md`, 'utf8');
  const threats = page.slice(page.indexOf('## Threats'), page.indexOf('## Between tenants'));
  const rows = threats.split('\n').filter((line) => /^\| (?!attack \|)/.test(line));
  t.ok(rows.length >= 30, 'the tables are found');
  for (const row of rows) {
    const last = row.split(' | ').at(-1) ?? '';
    const names = [...last.matchAll(/`([a-z-]+\/[a-z/*-]+)`/g)].map(([, name = '']) => name);
    t.not(names.length, 0, `a test for ${row.slice(0, 80)}`);
    for (const name of names) t.ok(exists(name), name);
  }
});
