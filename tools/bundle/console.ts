// Builds the console: dist/control-plane/console/app, by Vite. See docs/adr/0046-the-console.md.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const SOURCES = 'control-plane/console';
const APP = `dist/${SOURCES}/app`;
/** Beside the built files: of what they were built. */
const STAMP = `${APP}/.built-of`;

/** Builds unless nothing has changed since the last time, because `npm run compile` comes before every test. */
export async function bundleConsole(root: string): Promise<void> {
  const sum = sumOf(root);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sum) return;
  const { build } = await import('vite');
  await build({ configFile: join(root, SOURCES, 'vite.config.ts'), logLevel: 'warn' });
  writeFileSync(stamp, sum);
}

/** Returns a checksum of everything that the built files depend on. */
function sumOf(root: string): string {
  const hash = createHash('sha256');
  const sources = readdirSync(join(root, SOURCES), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  // Not by absolute paths: the result is part of a package, whose bytes depend on nothing but the sources.
  for (const file of ['package-lock.json', ...sources.sort()]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}
