// The folders of the local driver on this host: `macs/<slot_id>/` with the Mac's record and its own folders. Builds run
// as the same user, so anything may have been replaced by a link or a file; nothing is ever done through a link.
import { lstatSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readJson, syncFolder, writeDurably } from '../../shared/durable-file.js';
import { isErrno } from '../../shared/errno.js';
import { namesIn } from '../system/names-in.js';
import { regaining, removeTree } from '../system/remove-tree.js';
import { type HostMac, macRecord } from './driver.js';
import { createSlotMarks, isFolder, type SlotMarks } from './slot-marks.js';
import { REMOVED, SLOT_NAME } from './slot-names.js';

// Written last when a Mac is created: a folder without it was never completed.
const localRecord = z.object({
  ...macRecord.shape,
  /** Of the selected Xcode: the default of builds that choose none. */
  developer_dir: z.string().nullable().default(null),
});
export type LocalRecord = z.infer<typeof localRecord>;

/** The folders of a local Mac: absolute paths. */
export interface MacPaths {
  home: string;
  /** For a Mac: the folder of all work folders. For a build: the work folder of its source. */
  work: string;
  tmp: string;
  /** Caches of the Mac, kept by a reset with keep_cache. */
  caches: string;
  /** Scripts and artifacts of builds. */
  runs: string;
  /** The service's state about the work folders, or about the build's own one. */
  state: string;
}

export interface LocalFolders {
  /** Returns the folder of a slot. Throws a RangeError for an id that is not a valid folder name. */
  folderOf(slotId: string): string;
  paths(slotId: string): MacPaths;
  readonly marks: Pick<SlotMarks, 'claim' | 'write'>;
  /** Returns the record of a complete Mac, or null. */
  readRecord(slotId: string): LocalRecord | null;
  writeRecord(slotId: string, record: LocalRecord): void;
  /** Deletes the record durably, even if a build has replaced it with something else. */
  deleteRecord(slotId: string): Promise<void>;
  /** Lists the Macs; the record of one whose creation or removal was interrupted is null. */
  list(): Promise<HostMac[]>;
  /** Creates the folder of all Macs if needed. */
  makeRoot(): Promise<void>;
  /** Removes a slot's folder so that it is never found in part. Does nothing when there is none. */
  remove(slotId: string): Promise<void>;
}

export function createLocalFolders(dataDir: string): LocalFolders {
  const root = path.join(dataDir, 'macs');
  const marks = createSlotMarks(root);
  const folderOf = (slotId: string) => {
    if (!SLOT_NAME.test(slotId)) {
      throw new RangeError(`slot id ${JSON.stringify(slotId)} is not a valid folder name`);
    }
    return path.join(root, slotId);
  };
  const recordFile = (slotId: string) => path.join(folderOf(slotId), 'mac.json');
  const readRecord = (slotId: string) => {
    if (!isFolder(root) || !isFolder(folderOf(slotId))) return null;
    try {
      const file = recordFile(slotId);
      if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return null;
      return localRecord.safeParse(readJson(file)).data ?? null;
    } catch (error) {
      if (isErrno(error, 'EACCES', 'ENOENT')) return null;
      throw error;
    }
  };
  /** Folders whose permissions a build can remove, which would prevent recreating its Mac. */
  const regainable = (slotId?: string) => [dataDir, root, ...(slotId === undefined ? [] : [folderOf(slotId)])];
  /** Removes a link or a file that a build has put in place of the folder of all Macs. */
  const removeIfNotFolder = async () => {
    if (lstatSync(root, { throwIfNoEntry: false }) && !isFolder(root)) await removeTree(root);
  };

  return {
    marks,
    folderOf,
    paths(slotId) {
      const inside = (name: string) => path.join(folderOf(slotId), name);
      const folders = { home: inside('home'), work: inside('work'), tmp: inside('tmp') };
      return { ...folders, caches: inside('caches'), runs: inside('run'), state: inside('state') };
    },
    readRecord,
    writeRecord(slotId, record) {
      marks.write(slotId);
      writeDurably(recordFile(slotId), JSON.stringify(record));
    },
    deleteRecord: (slotId) =>
      regaining(regainable(slotId), async () => {
        if (!isFolder(root) || !isFolder(folderOf(slotId))) return;
        await removeTree(recordFile(slotId));
        syncFolder(folderOf(slotId));
      }),
    async list() {
      const names = await regaining(regainable(), async () => {
        await removeIfNotFolder();
        return namesIn(root);
      });
      const leftovers = names.filter((name) => name.startsWith(REMOVED));
      const broken = new Set(leftovers.map((name) => name.slice(REMOVED.length)));
      const slots = new Set(
        [...names, ...broken].filter((name) => (broken.has(name) ? SLOT_NAME.test(name) : marks.isOwn(name))),
      );
      return [...slots].sort().map((slot_id) => {
        const record = broken.has(slot_id) ? null : readRecord(slot_id);
        return { slot_id, record: record && macRecord.parse(record) };
      });
    },
    makeRoot: () =>
      regaining(regainable(), async () => {
        await removeIfNotFolder();
        await mkdir(root, { recursive: true, mode: 0o700 });
      }),
    remove: (slotId) =>
      regaining(regainable(slotId), async () => {
        await removeIfNotFolder();
        // Renamed first, so that a partly removed Mac is never taken for a complete one.
        const aside = path.join(root, REMOVED + slotId);
        await removeTree(aside);
        try {
          await rename(folderOf(slotId), aside);
        } catch (error) {
          if (!isErrno(error, 'ENOENT')) throw error;
        }
        await removeTree(aside);
      }),
  };
}
