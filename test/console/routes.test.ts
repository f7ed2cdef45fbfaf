// Every address has a page, and every page is in the folder of its name.
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { addresses } from '../../control-plane/console/addresses.js';

const folder = new URL('../../../control-plane/console/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

t.test('routes.tsx has a page for each address, and no other', async (t) => {
  const table = read('routes.tsx');
  const rows = [...table.matchAll(/^ {2}'(\/[^']*)':\s*\(\) =>\s*import\('\.\/(pages\/[^']+)\.js'\)/gm)];
  t.same(rows.map(([, address]) => address).sort(), [...addresses].sort());
  for (const [, , page = ''] of rows) t.ok(existsSync(new URL(`${page}.tsx`, folder)), page);
});

t.test('the side bar leads to addresses', async (t) => {
  const known: readonly string[] = addresses;
  const items = [...read('navigation.ts').matchAll(/\{ to: '([^']+)'/g)];
  t.ok(items.length > 20);
  for (const [, to = ''] of items) t.ok(known.includes(to), to);
});

t.test('docs/console.md has a row for each address', async (t) => {
  const page = readFileSync(new URL('../../docs/console.md', folder), 'utf8');
  const named = new Set([...page.matchAll(/`(\/[^`#?]*)/g)].map(([, address]) => address));
  for (const address of addresses) t.ok(named.has(address.replaceAll('$', ':')), address);
});
