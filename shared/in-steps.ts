// Long loops in steps, so that other requests are served in between.
import { setImmediate } from 'node:timers/promises';

/** Ends a step of long work; resolves when the next one may begin. */
export type Pause = () => Promise<void>;

/** Lets the event loop turn. */
export const endTurn: Pause = () => setImmediate();

/** Yields the items in groups, with a pause between two of them. */
export async function* inGroups<T>(
  items: Iterable<T>,
  size: number,
  pause = endTurn,
): AsyncGenerator<T[], void, undefined> {
  let group: T[] = [];
  for (const item of items) {
    if (group.length === size) {
      yield group;
      group = [];
      await pause();
    }
    group.push(item);
  }
  if (group.length > 0) yield group;
}

/** Sorts by merging sorted groups; `items` is not changed. */
export async function sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  size: number,
  pause = endTurn,
): Promise<readonly T[]> {
  let runs: T[][] = [];
  for await (const group of inGroups(items, size, pause)) runs.push(group.sort(compare));
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await mergeInSteps(runs[i] ?? [], runs[i + 1] ?? [], compare, size, pause));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergeInSteps<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  size: number,
  pause: Pause,
): Promise<T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const takesA = j >= b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push((takesA ? a[i++] : b[j++]) as T);
    if (merged.length % size === 0) await pause();
  }
  return merged;
}
