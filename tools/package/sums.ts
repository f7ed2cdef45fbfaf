// SHA256SUMS, as `sha256sum --check` reads it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './archive.js';

/** Adds the packages to SHA256SUMS of the folder. Packages of other versions stay as long as their files do. */
export function writeSums(folder: string, made: readonly Package[]): void {
  const file = join(folder, 'SHA256SUMS');
  const sums = new Map(made.map(({ name, sha256 }) => [name, sha256]));
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    if (sha256 && name && !sums.has(name) && existsSync(join(folder, name))) sums.set(name, sha256);
  }
  const lines = [...sums].sort().map(([name, sha256]) => `${sha256}  ${name}\n`);
  writeFileSync(`${file}.partial`, lines.join(''));
  renameSync(`${file}.partial`, file);
}
