import { Failure } from '../data/failure.js';

/** Returns what is left of a Mac whose rental has ended, from the failure of its query; null: it failed otherwise. */
export function endedMac(error: unknown): { readonly name: string } | null {
  if (!(error instanceof Failure) || error.code !== 'rental_not_found') return null;
  const { ended, name } = error.details;
  return ended === true && typeof name === 'string' ? { name } : null;
}
