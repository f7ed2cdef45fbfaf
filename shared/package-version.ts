import { readFileSync } from 'node:fs';
import { z } from 'zod';

let known: string | null = null;

/** The version of this package, as its package.json says. */
export function packageVersion(): string {
  // Compiled, this file lies two folders below the package's root.
  const file = new URL('../../package.json', import.meta.url);
  known ??= z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  return known;
}
