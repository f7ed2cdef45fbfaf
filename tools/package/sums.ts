// SHA256SUMS, as `sha256sum --check` reads it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './archive.js';

export const SUMS = 'SHA256SUMS';

/** Returns the checksums of the packages in the folder, by name. */
export function readSums(folder: string): Map<string, string> {
  const file = join(folder, SUMS);
  const sums = new Map<string, string>();
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    const [, sha256, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
    if (sha256 && name && existsSync(join(folder, name))) sums.set(name, sha256);
  }
  return sums;
}

/**
 * Adds the packages to SHA256SUMS of the folder. Packages of other versions stay as long as their files do.
 *
 * @param keep whether to keep what it names already
 */
export function writeSums(folder: string, made: readonly Package[], keep = true): void {
  const file = join(folder, SUMS);
  const sums = keep ? readSums(folder) : new Map<string, string>();
  for (const { name, sha256 } of made) sums.set(name, sha256);
  const lines = [...sums].sort().map(([name, sha256]) => `${sha256}  ${name}\n`);
  writeFileSync(`${file}.partial`, lines.join(''), { mode: 0o644 });
  renameSync(`${file}.partial`, file);
}
