// Small JSON files of state. A missing or damaged file means unknown state, never an error.
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { writeDurably } from '../../../shared/durable-file.js';
import { unless } from '../../../shared/errno.js';

/** Returns the file's content, or null when it is missing, damaged or of another shape. */
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

/** Replaces the state atomically. With `durable` it is on disk when this returns. */
export function writeState(path: string, value: unknown, options: { durable: boolean }): void {
  writeDurably(path, JSON.stringify(value), options);
}
