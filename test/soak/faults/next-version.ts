// The next version of the control plane: this one with a higher number and a migration that adds.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Test } from 'tap';
import { newestMigration } from '../../../control-plane/platform/store/migrations/all.js';

const here = fileURLToPath(new URL('../../../../', import.meta.url));
export const VERSION = '0.1.99';
export const MIGRATION = newestMigration + 1;
const STATEMENTS = [
  `ALTER TABLE builds ADD COLUMN of_next_version TEXT NOT NULL DEFAULT 'added'`,
  'ALTER TABLE events ADD COLUMN of_next_version INTEGER',
  'CREATE INDEX builds_of_next_version ON builds (of_next_version)',
];

/** Returns its program. */
export async function makeNextVersion(t: Test): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-next-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['node_modules', 'control-plane', 'docs']) symlinkSync(join(here, name), join(folder, name));
  const about = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, version: VERSION }));
  const dist = join(folder, 'dist');
  mkdirSync(dist);
  for (const name of ['control-plane', 'shared', 'client', 'host-agent']) {
    cpSync(join(here, 'dist', name), join(dist, name), { recursive: true });
  }
  // Where the compiled programs are bundles of this version.
  const main = join(dist, 'control-plane/main.js');
  await build({ entryPoints: [join(here, 'control-plane/main.ts')], outfile: main, format: 'esm', platform: 'node' });
  const all = join(dist, 'control-plane/platform/store/migrations/all.js');
  const migration = { id: MIGRATION, name: 'next-version', statements: STATEMENTS };
  const text = readFileSync(all, 'utf8');
  const changed = text.replace(
    'const newestMigration =',
    `migrations.push(${JSON.stringify(migration)});\nconst newestMigration =`,
  );
  if (changed === text) throw new Error('migrations are listed elsewhere');
  writeFileSync(all, changed);
  return main;
}
