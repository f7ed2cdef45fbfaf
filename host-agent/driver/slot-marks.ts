// Which folders in `macs/` are the agent's: it writes the id of the slot into a file in the folder of each. A copy that
// an operator made has another name than its file says, so it is neither used nor deleted; the same holds for folders
// without such a file.
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unless } from '../../shared/errno.js';
import { SLOT_NAME } from './slot-names.js';

export const MARK = '.cidermill-slot';

export type SlotMarks = ReturnType<typeof createSlotMarks>;

/** @param root the folder with the folders of all slots */
export function createSlotMarks(root: string) {
  const claimed = new Set<string>();
  const write = (slotId: string) => {
    if (!isFolder(root) || !isFolder(path.join(root, slotId)) || isMarked(root, slotId)) return;
    // Not through a link that a build has put there.
    unless(['EEXIST'], () => writeFileSync(path.join(root, slotId, MARK), slotId, { flag: 'wx', mode: 0o600 }));
  };
  return {
    isOwn: (name: string) => SLOT_NAME.test(name) && (claimed.has(name) || isMarked(root, name)),
    /** Marks the folder of a slot, if it is there. */
    write,
    /**
     * To be called with the slots that the service names: their folders are the agent's, also those of earlier versions of the
     * agent, and those whose file a build has deleted.
     */
    claim(slotIds: readonly string[]) {
      for (const slotId of slotIds) {
        if (!SLOT_NAME.test(slotId)) continue;
        claimed.add(slotId);
        write(slotId);
      }
    },
  };
}

/** Returns whether the agent has marked this folder in `root` as that of the slot of this name. */
export function isMarked(root: string, name: string): boolean {
  const file = path.join(root, name, MARK);
  return (
    isFolder(path.join(root, name)) &&
    unless(['ENOENT', 'ENOTDIR', 'EACCES'], () => lstatSync(file).isFile() && readFileSync(file, 'utf8') === name) ===
      true
  );
}

export const isFolder = (folder: string) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
