// Which of several processes runs a test file: the first that makes its folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns whether nobody has taken the file before. */
export function claim(claims: string, file: string): boolean {
  try {
    mkdirSync(join(claims, file.replaceAll('/', '+')));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
