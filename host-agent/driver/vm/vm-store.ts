// What this host records of its virtual machines and slots: `vms/NAME/vm.json`, written before the virtual machine exists
// and deleted after it is gone, and `macs/SLOT/mac.json`, which says which one is the slot's Mac.
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readJson, syncFolder, writeDurably } from '../../../shared/durable-file.js';
import { namesIn } from '../../system/names-in.js';
import { removeTree } from '../../system/remove-tree.js';
import { macRecord } from '../driver.js';
import { createSlotMarks } from '../slot-marks.js';
import { SLOT_NAME } from '../slot-names.js';

export const vmSize = z.object({
  cpuCores: z.number().nullable(),
  memoryGb: z.number().nullable(),
  diskGb: z.number().nullable(),
});

const vmFile = z.object({
  name: z.string(),
  /** making: not complete. spare: complete, never used. mac: a tenant's, even if its slot no longer names it. */
  purpose: z.enum(['making', 'spare', 'mac']),
  image: z.string(),
  digest: z.string(),
  size: vmSize,
  /** Its guest is closed to others and ready for a tenant. */
  prepared: z.boolean(),
  /** It was started, and commands have not run in it since. */
  booting: z.boolean(),
  /** Null until its first boot. */
  guest: z.enum(['exec', 'ssh']).nullable(),
  madeAt: z.number(),
  /** Attempts since it was last ready, all of which its guest did not survive. */
  failedBoots: z.number().default(0),
});
export type VmFile = z.infer<typeof vmFile>;

const slotFile = z.object({ vm: z.string(), record: macRecord.nullable() });
export type SlotFile = z.infer<typeof slotFile>;

export type VmStore = ReturnType<typeof createVmStore>;

export function createVmStore(dataDir: string) {
  const vms = path.join(dataDir, 'vms');
  const macs = path.join(dataDir, 'macs');
  const marks = createSlotMarks(macs);
  const folderOf = (name: string) => path.join(vms, name);
  const slotFolder = (slotId: string) => {
    if (SLOT_NAME.test(slotId)) return path.join(macs, slotId);
    throw new RangeError(`slot id ${JSON.stringify(slotId)} is not a valid folder name`);
  };
  const slotPath = (slotId: string) => path.join(slotFolder(slotId), 'mac.json');

  const read = (name: string) => vmFile.safeParse(readJson(path.join(folderOf(name), 'vm.json'))).data ?? null;
  const write = (vm: VmFile) => writeFile(path.join(folderOf(vm.name), 'vm.json'), vm);

  return {
    /** The folder of what this host keeps of a virtual machine: its keys. */
    folderOf,
    read,
    write,
    /** Changes fields of what is recorded now. Returns null when there is no record. */
    update(name: string, changes: Partial<VmFile>): VmFile | null {
      const known = read(name);
      if (known === null) return null;
      const changed = { ...known, ...changes };
      write(changed);
      return changed;
    },
    /** Deletes the folder. */
    remove: (name: string) => removeTree(folderOf(name)),
    // A copy that an operator made has another name than its record says.
    /** Names that have a folder with the record of this name. */
    names: () => foldersIn(vms).filter((name) => read(name)?.name === name),
    /** Throws a RangeError for an id that is not a valid folder name. */
    slotFolder,
    readSlot: (slotId: string): SlotFile | null => slotFile.safeParse(readJson(slotPath(slotId))).data ?? null,
    writeSlot(slotId: string, slot: SlotFile) {
      mkdirSync(slotFolder(slotId), { recursive: true, mode: 0o700 });
      marks.write(slotId);
      writeFile(slotPath(slotId), slot);
    },
    /** Deletes the slot's folder, the record first. */
    async removeSlot(slotId: string) {
      const folder = slotFolder(slotId);
      if (!existsSync(folder)) return;
      await removeTree(slotPath(slotId));
      syncFolder(folder);
      await removeTree(folder);
    },
    /** Slots that have a folder of this agent. */
    slots: () => foldersIn(macs).filter(marks.isOwn),
    /** Names of the virtual machines that any folder in `macs/` records, also one that is not of this agent. */
    recordedVms: () =>
      foldersIn(macs).flatMap((name) => slotFile.safeParse(readJson(path.join(macs, name, 'mac.json'))).data?.vm ?? []),
    claimSlots: marks.claim,
  };
}

function writeFile(file: string, content: object): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(file, JSON.stringify(content));
}

const foldersIn = (folder: string): string[] =>
  namesIn(folder)
    .filter((name) => lstatSync(path.join(folder, name), { throwIfNoEntry: false })?.isDirectory())
    .sort();
