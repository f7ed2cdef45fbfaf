// Which work folder goes when the disk runs low: of all that are idle, the one that was used least recently.
import type { MacDriver, WorkFolder } from './driver.js';

export interface IdleFolder extends WorkFolder {
  readonly slotId: string;
}

/** @param keep names that stay, whatever their age */
export function leastRecentlyUsed(
  folders: readonly IdleFolder[],
  keep: ReadonlySet<string>,
): IdleFolder | null {
  let oldest: IdleFolder | null = null;
  for (const folder of folders) {
    if (keep.has(folder.name)) continue;
    if (oldest === null || folder.usedAt < oldest.usedAt) oldest = folder;
  }
  return oldest;
}

/**
 * Removes work folders until `reserveBytes` are free or none is left that may go.
 *
 * @param options.slots those whose folders may go
 * @param options.remove removes one; false: it is in use by now, and stays
 * @returns how many were removed
 */
export async function freeDisk(
  driver: Pick<MacDriver, 'freeBytes' | 'workFolders'>,
  options: {
    slots: readonly string[];
    keep: ReadonlySet<string>;
    reserveBytes: number;
    remove: (folder: IdleFolder) => Promise<boolean>;
  },
): Promise<number> {
  const { slots, keep, reserveBytes, remove } = options;
  const isLow = async () => (await driver.freeBytes()) < reserveBytes;
  if (!(await isLow())) return 0;
  const lists = await Promise.all(
    slots.map(async (slotId) => (await driver.workFolders(slotId)).map((folder) => ({ slotId, ...folder }))),
  );
  let left = lists.flat();
  let removed = 0;
  for (let next = leastRecentlyUsed(left, keep); next; next = leastRecentlyUsed(left, keep)) {
    const gone = next;
    left = left.filter((folder) => folder !== gone);
    if (!(await remove(gone))) continue;
    removed += 1;
    if (!(await isLow())) break;
  }
  return removed;
}
