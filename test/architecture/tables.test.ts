// A column is written in one folder: every table is written by the store of one capability.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { capabilities } from './capabilities.js';

const root = new URL('../../../control-plane/', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('platform/store/migrations/'),
);

// SQL that is written out, and tables whose statements are made of their description.
const WRITES = /\b(?:INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)\b|^export const \w+ = table\(\s*'([a-z_]+)'/gm;

/** Single values by name; each name belongs to one file. */
const SHARED = new Set(['meta']);

/** The folders that write each table. */
const writers = new Map<string, Set<string>>();
for (const path of files) {
  const folder = path.split('/').slice(0, 2).join('/');
  for (const [, written, described] of readFileSync(join(root, path), 'utf8').matchAll(WRITES)) {
    const table = written ?? described ?? '';
    writers.set(table, (writers.get(table) ?? new Set()).add(folder));
  }
}

t.test('every table is written by the store of one capability', async (t) => {
  t.ok(writers.size > 30, 'the search finds what it looks for');
  t.same([...(writers.get('macs') ?? [])], ['macs/store']);
  t.same([...(writers.get('rentals') ?? [])], ['renting/store']);
  for (const [table, folders] of writers) {
    if (SHARED.has(table)) continue;
    t.equal(folders.size, 1, `${table}: ${[...folders].join(', ')}`);
    t.match([...folders][0], /^[a-z]+\/store$/, `${table} is written by a store`);
  }
});

/** Stores that read a table of a capability which theirs may not know, and why. */
const readsAbove: Readonly<Record<string, string>> = {
  'access/store/audit-log.ts reads macs': 'the audit log calls a Mac by its name',
  'hosts/store/host-connections.ts reads builds': 'a host that stays away is lost when it runs builds',
  'hosts/store/host-connections.ts reads macs': 'or has Macs that customers see as ready',
  'hosts/store/rollouts.ts reads builds': 'hosts that run no builds are upgraded first',
  'hosts/store/slots.ts reads macs': 'the tier of a host changes once its slots are free',
  'hosts/store/slots.ts reads holds': 'the same',
  'platform/store/api-errors.ts reads api_keys': 'an error is shown in the workspace of its key',
  'platform/store/api-errors.ts reads builds': 'or in the workspace of its build',
  'renting/store/orders.ts reads payments': 'an order shows its receipt, and waits for a payment in doubt',
  'uploads/store/kept-uploads.ts reads builds': 'an upload lives while builds use it',
  'uploads/store/uploads.ts reads builds': 'the same',
};

t.test('a store reads tables of its own capability and of those below; exceptions have a reason', async (t) => {
  const found = new Set<string>();
  for (const { name, knows } of capabilities) {
    const may = new Set([name, 'platform', ...knows]);
    for (const path of files.filter((one) => one.startsWith(`${name}/`))) {
      const text = readFileSync(join(root, path), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
      for (const [, table = ''] of text.matchAll(/\b(?:FROM|JOIN) ([a-z_]+)\b/g)) {
        const [owner] = [...(writers.get(table) ?? [])].map((folder) => folder.split('/')[0] ?? '');
        if (owner !== undefined && !may.has(owner)) found.add(`${path} reads ${table}`);
      }
    }
  }
  t.same([...found].sort(), Object.keys(readsAbove).sort());
});

t.test('names with capitals are quoted in SQL: PostgreSQL reads others in small letters', async (t) => {
  const unquoted = files.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [...text.matchAll(/\bSELECT\b[^`]*?\b(?:AS|as) ([a-z]+[A-Z]\w*)\b/g)].map(([, name]) => `${path}: ${name}`);
  });
  t.same(unquoted, []);
  t.ok(
    files.some((path) => /AS "[a-z]+[A-Z]/.test(readFileSync(join(root, path), 'utf8'))),
    'some are quoted',
  );
});
