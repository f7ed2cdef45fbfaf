// Fences: conditions without which a transaction does nothing. They are looked at when it begins, in the same committed
// state as everything else that it reads, so that a process or connection that was given up can no longer write.
import { AsyncLocalStorage } from 'node:async_hooks';

export interface Fence {
  /** A SELECT without parameters, which returns a row as long as writing is allowed. */
  readonly holds: string;
  /** What the transaction fails with otherwise. */
  gone(): Error;
}

const around = new AsyncLocalStorage<readonly Fence[]>();

/** Runs `work`, whose transactions do nothing unless the fence holds. On SQLite, which one process has, it only runs it. */
export function within<T>(fence: Fence, work: () => Promise<T>): Promise<T> {
  return around.run([...fencesHere(), fence], work);
}

/** The fences around the code that calls this. */
export const fencesHere = (): readonly Fence[] => around.getStore() ?? [];

/** A text or number as it stands in a condition. */
export function inCondition(value: string | number): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  if (!/^[A-Za-z0-9_-]+$/.test(String(value))) throw new Error('an identifier in a condition has other characters');
  return `'${value}'`;
}
