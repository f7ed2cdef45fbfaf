// Arguments that several tools take.
import { z } from 'zod';

export const buildId = z.string().regex(/^rb_/);
export const rentalId = z.string().describe('name or id');
export const when = z
  .enum(['after_build', 'now'])
  .optional()
  .describe('if a build runs: wait for its end, or cancel it');
export const idempotencyKey = z
  .string()
  .regex(/^[!-~]+$/)
  .optional()
  .describe('calls with the same are done once');
export const before = z.string().optional().describe('next_before of the last page');

/** The values that are given. */
export function given<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** The values that are not null. */
export function known<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
