// Rows of a table as text, the same of both databases, and their checksum.
import { createHash } from 'node:crypto';
import type { MovedTable } from './moved.js';

/** Each value as PostgreSQL writes it: whole numbers in decimal, bytes as `\x…`. */
export type TextRow = readonly (string | null)[];

/** Counts rows and hashes them, in the order in which they are added. */
export function createChecksum(table: string) {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(row: TextRow): void {
      rows++;
      hash.update(JSON.stringify(row)).update('\n');
    },
    end: (): MovedTable => ({ table, rows, sha256: hash.digest('hex') }),
  };
}
