// Small JSON files of the service's own state. One that is missing or damaged is unknown state, never an error.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { unless } from '../../system/errno.js';
import { writeAtomic } from '../../system/write-atomic.js';

/** The file's content if it is there, whole, and of this shape; else null. */
export function readState<T>(path: string, shape: z.ZodType<T>): T | null {
  const text = unless(['ENOENT'], () => readFileSync(path, 'utf8'));
  if (text === undefined) return null;
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A crash leaves the old state or the new one. With `durable` it is on disk when this returns. */
export function writeState(path: string, value: unknown, options: { durable: boolean }): void {
  writeAtomic(path, JSON.stringify(value), options);
}
