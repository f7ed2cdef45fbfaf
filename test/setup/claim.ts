// Which of several processes runs a test file: the first that creates its note.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns whether nobody has taken the file before.
 *
 * @param by names the process that takes it
 */
export function claim(claims: string, file: string, by: string): boolean {
  try {
    writeFileSync(join(claims, file.replaceAll('/', '+')), by, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns the files that a process has taken. */
export const claimedBy = (claims: string, by: string): string[] =>
  readdirSync(claims)
    .filter((name) => readFileSync(join(claims, name), 'utf8') === by)
    .map((name) => name.replaceAll('+', '/'));
