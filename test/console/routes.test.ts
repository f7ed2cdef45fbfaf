// Every address has a page, and every page is in the folder of its name.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

const segmentsOf = (address: string) => address.split('/').slice(1);

/** `…` stands for any rest, `:x`, `{x}` and `TOKEN` for any segment. */
function isAddress(named: string): boolean {
  const wanted = segmentsOf(named);
  const open = wanted.at(-1) === '…';
  const parts = open ? wanted.slice(0, -1) : wanted;
  return addresses
    .map(segmentsOf)
    .some(
      (known) =>
        (open ? known.length >= parts.length : known.length === parts.length) &&
        parts.every((part, at) => part === known[at] || known[at]?.startsWith('$')),
    );
}

t.test('each address of the console in the documents has a page', async (t) => {
  const documents = new URL('../../docs/', folder);
  const first = new Set(addresses.map((address) => segmentsOf(address)[0]));
  // The API has these, too.
  for (const shared of ['builds', '']) first.delete(shared);
  let seen = 0;
  for (const name of readdirSync(documents).filter((file) => file.endsWith('.md'))) {
    const text = readFileSync(new URL(name, documents), 'utf8');
    const pages = [...text.matchAll(/\bpages? `(\/[^`]*)`/g)];
    const known = [...text.matchAll(/`(?:https:\/\/[\w.-]+)?(\/[^`\s]*)`/g)].filter(([, address = '']) =>
      first.has(segmentsOf(address)[0] ?? ''),
    );
    for (const [, address = ''] of [...pages, ...known]) {
      const path = address.replace(/[?#].*/, '');
      // `/shared/` is a prefix of addresses.
      if (path.endsWith('/')) continue;
      seen++;
      t.ok(isAddress(path), `${name}: ${address}`);
    }
  }
  t.ok(seen > 40, String(seen));
});
