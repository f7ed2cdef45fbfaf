// Builds the console: dist/control-plane/console/app, by Vite. See docs/adr/0046-the-console.md.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const CONSOLE = 'control-plane/console';
/** The folders from which it is built: its own, and those from which it imports. */
export const consoleSources = [CONSOLE, 'client/operations', 'control-plane/platform/domain', 'shared'];
const APP = `dist/${CONSOLE}/app`;
/** File beside the built files: a checksum of what they were built from. */
const STAMP = `${APP}/.built-of`;

/** Builds unless nothing has changed since the last time, because `npm run compile` comes before every test. */
export async function bundleConsole(root: string): Promise<void> {
  const sum = sumOf(root);
  const stamp = join(root, STAMP);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sum) return;
  await atPlainPath(root, async (plain, preserveSymlinks) => {
    const { build } = await import('vite');
    await build({
      configFile: join(plain, CONSOLE, 'vite.config.ts'),
      logLevel: 'warn',
      root: join(plain, CONSOLE),
      resolve: { preserveSymlinks },
    });
  });
  writeFileSync(stamp, sum);
}

/**
 * Vite reads what follows `#` or `?` in a path as no part of the file's name, and builds something else: such a folder is
 * built through a link.
 */
async function atPlainPath(
  root: string,
  build: (plain: string, preserveSymlinks: boolean) => Promise<void>,
): Promise<void> {
  if (!/[#?%]/.test(root)) return build(root, false);
  const folder = mkdtempSync(join(tmpdir(), 'cidermill-console-'));
  try {
    symlinkSync(root, join(folder, 'root'));
    await build(join(folder, 'root'), true);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a checksum of everything that the built files depend on. */
function sumOf(root: string): string {
  const hash = createHash('sha256');
  const sources = consoleSources
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
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
