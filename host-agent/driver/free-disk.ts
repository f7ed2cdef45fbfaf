// Deletes the least recently used idle work folders when the disk runs low.
import type { MacDriver, WorkFolder } from './driver.js';

export interface IdleFolder extends WorkFolder {
  readonly slotId: string;
}

/** @param keep names of folders that are never deleted */
export function leastRecentlyUsed<Folder extends WorkFolder>(
  folders: readonly Folder[],
  keep: ReadonlySet<string>,
): Folder | null {
  let oldest: Folder | null = null;
  for (const folder of folders) {
    if (keep.has(folder.name)) continue;
    if (oldest === null || folder.usedAt < oldest.usedAt) oldest = folder;
  }
  return oldest;
}

/**
 * Deletes work folders until `reserveBytes` are free or none is left to delete.
 *
 * @param options.slots slots whose folders may be deleted
 * @param options.remove deletes one folder; returns false when it is in use and stays
 * @returns the number of deleted folders
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
