import { readFileSync } from 'node:fs';
import { z } from 'zod';

let known: string | null = null;

/** Returns the version in this package's package.json. */
export function packageVersion(): string {
  // When compiled, this file is two folders below the package's root.
  const file = new URL('../../package.json', import.meta.url);
  known ??= z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  return known;
}
