// Who writes a column is answered by its folder: every table is written by the store of one capability.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

const root = new URL('../../../control-plane/', import.meta.url).pathname;
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('platform/store/migrations/'),
);

// SQL that is written out, and tables whose statements are made of their description.
const WRITES = /\b(?:INSERT INTO|UPDATE|DELETE FROM) ([a-z_]+)\b|^export const \w+ = table\(\s*'([a-z_]+)'/gm;

/** Single values by name; each name belongs to one file. */
const SHARED = new Set(['meta']);

t.test('every table is written by the store of one capability', async (t) => {
  const writers = new Map<string, Set<string>>();
  for (const path of files) {
    const folder = path.split('/').slice(0, 2).join('/');
    for (const [, written, described] of readFileSync(join(root, path), 'utf8').matchAll(WRITES)) {
      const table = written ?? described ?? '';
      writers.set(table, (writers.get(table) ?? new Set()).add(folder));
    }
  }
  t.ok(writers.size > 30, 'the search finds what it looks for');
  t.same([...(writers.get('macs') ?? [])], ['macs/store']);
  t.same([...(writers.get('rentals') ?? [])], ['renting/store']);
  for (const [table, folders] of writers) {
    if (SHARED.has(table)) continue;
    t.equal(folders.size, 1, `${table}: ${[...folders].join(', ')}`);
    t.match([...folders][0], /^[a-z]+\/store$/, `${table} is written by a store`);
  }
});
