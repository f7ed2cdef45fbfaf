// Arguments that several tools take.
import { z } from 'zod';

export const buildId = z.string().regex(/^rb_/).describe('build id (rb_…)');
export const rentalId = z.string().regex(/^rt_/).describe('Mac (rt_…), as status lists it');
export const when = z
  .enum(['after_build', 'now'])
  .optional()
  .describe('needed while a build runs on the Mac: wait for its end, or cancel it');
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/)
  .optional()
  .describe('give the same one when you repeat this call after an unclear end: it is then done once');

/** What is given, without the rest. */
export function given<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
