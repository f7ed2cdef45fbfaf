// Where the sources of a virtual machine's builds are checked out on this host, before they are brought into it. No build
// can reach these folders.
import path from 'node:path';
import type { WorkFolder } from './driver.js';
import { listWorkFolders, removeWorkFolder, type SourceFolders } from './work-folders.js';

/** Returns `sources/` and `state/` in the folder of the slot, each with a folder for every source. */
export function stagingOf(dataDir: string, slotId: string): SourceFolders {
  const slot = path.join(dataDir, 'macs', slotId);
  return { work: path.join(slot, 'sources'), state: path.join(slot, 'state') };
}

/** The part of a driver for virtual machines that concerns disk space: the staging folders can be filled again. */
export function stagingFolders(dataDir: string): {
  workFolders(slotId: string): Promise<WorkFolder[]>;
  removeWorkFolder(slotId: string, name: string, signal?: AbortSignal): Promise<void>;
} {
  return {
    workFolders: async (slotId) => listWorkFolders(stagingOf(dataDir, slotId)),
    removeWorkFolder: (slotId, name, signal) => removeWorkFolder(stagingOf(dataDir, slotId), name, signal),
  };
}
