// The driver port, as the daemon uses it: creates, changes, lists and removes Macs, and ends what builds left in them. What
// a build itself does in its Mac is in `build-mac.ts`.
import { z } from 'zod';
import { DEFAULT_DRIVER, type DriverName, isVirtual, type VmDriverName, vmDriverNames } from '../../shared/drivers.js';
import type { DesiredImage, DesiredMac, ImageFact, ImageProgress, Inventory } from '../../shared/protocol/index.js';
import type { GuestAccess } from './guest-access.js';
import { vmSettings } from './vm/settings.js';

export { NotInstalledError } from '../guest/software/not-installed.js';

/** Opens the same driver in another process (each build has its own). Never contains a credential. */
export const driverSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal(DEFAULT_DRIVER), data_dir: z.string(), applications_dir: z.string() }),
  z.object({ kind: z.enum(vmDriverNames), ...vmSettings.shape }),
]);
export type DriverSpec = z.infer<typeof driverSpec>;
export type VmDriverSpec = Extract<DriverSpec, { kind: VmDriverName }>;

export const isVmSpec = (spec: DriverSpec): spec is VmDriverSpec => isVirtual(spec.kind);

/** The work folder of one source. */
export interface WorkFolder {
  readonly name: string;
  /** When a build of this source last started, ms; 0: unknown. */
  readonly usedAt: number;
}

export interface BuildSession {
  /** Session id of the pty. */
  leader: number;
  terminal: string;
  /** Session and process group of the script, which has no terminal; null until the script has started. */
  script: number | null;
}

/** Identifies a build's processes, even after they have detached themselves. */
export interface BuildProcesses {
  /** `NAME=value`, unique to this build, in the environment of everything it starts. */
  mark: string;
  /** The sessions of wrapper and script on this host. Null when their ids may have been reused. */
  session: BuildSession | null;
  /** A process of this host that runs only this build: all its descendants belong to the build, itself not. */
  ancestor?: number;
}

/** The record of a complete Mac; it is deleted with the Mac. */
export const macRecord = z.object({
  rental_id: z.string(),
  account_id: z.int(),
  generation: z.int().min(0),
  revision: z.int().min(0),
  /** Null: none was selected, or it is unknown which. */
  xcode: z.string().nullable(),
  /** Installed by the service, or requested and already there. */
  runtimes: z.array(z.string()),
  tools: z.array(z.string()),
});
export type MacRecord = z.infer<typeof macRecord>;

export interface HostMac {
  slot_id: string;
  /** Null: creating or removing it was interrupted. */
  record: MacRecord | null;
  /** The digest of the image that it was made from; absent: its driver has no images. */
  image_digest?: string;
  /** Its virtual machine is switched off, or has not booted yet: call `start`. */
  stopped?: boolean;
}

/** What a Mac is created from. */
export type NewMac = Pick<DesiredMac, 'slot_id' | 'image'> &
  Partial<Pick<DesiredMac, 'image_digest' | 'cpu_cores' | 'memory_gb' | 'disk_gb'>>;

/** The Mac cannot be changed in place and must be recreated. */
export class NewMacNeededError extends Error {
  override name = 'NewMacNeededError';
}

/**
 * Reports the progress of one step, 0 to 100.
 *
 * @param image while the Mac's image is being fetched
 */
export type Percent = (percent: number, image?: ImageProgress) => void;

export type ProcessSignal = 'SIGTERM' | 'SIGKILL' | 0;

export interface MacDriver {
  readonly kind: DriverName;
  readonly spec: DriverSpec;
  inventory(): Promise<Inventory>;
  /** The service names these slots: what is in their folders is the agent's. Throws errors of the file system. */
  claimSlots(slotIds: readonly string[]): void;
  /** Lists the Macs of this host from what exists, not from memory. */
  listMacs(): Promise<HostMac[]>;
  /** Creates a Mac in an empty slot; it is complete once its record is saved. Idempotent. */
  create(mac: NewMac, percent: Percent): Promise<void>;
  /** Starts the virtual machine of a complete Mac and waits until commands run in it. Idempotent. */
  start(slotId: string, percent: Percent): Promise<void>;
  /** Removes everything in the slot: record, processes, files, secrets. Idempotent. */
  remove(slotId: string): Promise<void>;
  /** Kills all processes in the Mac and deletes its work folders. Home, caches and installed software stay. */
  emptyWork(slotId: string): Promise<void>;
  /**
   * Kills all processes in the Mac and recreates its folders: work folders and TMPDIR are emptied; home and caches
   * keep their content if they can be made usable.
   */
  repair(slotId: string): Promise<void>;
  workFolders(slotId: string): Promise<WorkFolder[]>;
  /** Deletes a work folder in which no build runs. Idempotent. */
  removeWorkFolder(slotId: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Returns the free bytes of the disk that holds the Macs. */
  freeBytes(): Promise<number>;
  /** @throws NotInstalledError before anything has changed */
  selectXcode(slotId: string, version: string): Promise<void>;
  /** @throws NotInstalledError before anything has changed */
  installRuntime(slotId: string, name: string, percent: Percent): Promise<void>;
  /** @throws NotInstalledError before anything has changed */
  installTool(slotId: string, name: string, percent: Percent): Promise<void>;
  /** Deletes the record durably. The Mac then looks like one whose creation was interrupted, and is recreated. */
  discardRecord(slotId: string): Promise<void>;
  /** Writes the record durably; from then on the Mac is complete. */
  saveRecord(slotId: string, record: MacRecord): Promise<void>;
  /** Returns the folder, as builds see it, that holds a folder for each build: its script and artifacts. */
  runs(slotId: string): string;
  /** Deletes the folder of a build in `runs`. Idempotent. */
  removeRun(slotId: string, name: string, signal?: AbortSignal): Promise<void>;
  /**
   * Sends a signal (0: only counts) to every process of the build, and to no other. Returns how many it found. A
   * process between fork and exec may be missed, so only two zeros in a row mean that none is left.
   */
  signal(slotId: string, build: BuildProcesses, signal: ProcessSignal): Promise<number>;
  /**
   * Returns how to reach the virtual machine of a complete Mac; null if Macs are folders of this host.
   *
   * @throws VmLostError when it does not run
   */
  guest(slotId: string): Promise<GuestAccess | null>;
  /** Fetches the requested images, and deletes images that this driver fetched and that no tier names now. */
  wantImages(images: readonly DesiredImage[]): void;
  /** Returns the state of each requested image on this host. */
  imageFacts(): Promise<ImageFact[]>;
  /**
   * Watches for changes of Macs and images that the daemon did not make, and does the driver's periodic work: removes
   * leftovers, keeps spares.
   */
  watch(changed: DriverChanges): DriverWatch;
}

/** Called when what the driver reports may have changed. */
export interface DriverChanges {
  macs(): void;
  images(): void;
  inventory(): void;
}

export interface DriverWatch {
  /** Resolves when all work in progress has ended, except work that another process may continue. */
  close(): Promise<void>;
}
