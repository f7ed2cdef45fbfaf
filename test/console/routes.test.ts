// Every address has a page, and every page is in the folder of its name.
import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { addresses } from '../../control-plane/console/addresses.js';
import { operatorNavigation, organizationNavigation } from '../../control-plane/console/navigation.js';

const folder = new URL('../../../control-plane/console/', import.meta.url);

t.test('routes.tsx has a page for each address, and no other', async (t) => {
  const table = readFileSync(new URL('routes.tsx', folder), 'utf8');
  const rows = [...table.matchAll(/^ {2}'(\/[^']*)':\s*\(\) =>\s*import\('\.\/(pages\/[^']+)\.js'\)/gm)];
  t.same(rows.map(([, address]) => address).sort(), [...addresses].sort());
  for (const [, , page] of rows) t.ok(existsSync(new URL(`${page}.tsx`, folder)), page);
});

t.test('the side bar leads to addresses, each by a key of its own', async (t) => {
  for (const groups of [organizationNavigation, operatorNavigation]) {
    const items = groups.flatMap((group) => group.items);
    for (const { to } of items) t.ok(addresses.includes(to), to);
    const keys = items.flatMap(({ key }) => (key ? [key] : []));
    t.equal(new Set(keys).size, keys.length);
  }
});
