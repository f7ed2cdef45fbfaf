// The driver port: how a host makes, finds and removes Macs, and how processes are started and ended inside one.
import { z } from 'zod';
import type { DesiredMac, Inventory } from '../../shared/protocol/index.js';

/** Enough to open the same driver in another process (a build has its own). Never holds a credential. */
export const driverSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local'), data_dir: z.string(), applications_dir: z.string() }),
]);
export type DriverSpec = z.infer<typeof driverSpec>;

/** Where a build lives inside a Mac. Absolute paths as the build's own processes see them. */
export interface MacPaths {
  home: string;
  /** Of a Mac: holds a folder for each source. Of a build: that of its source, in which it begins. */
  work: string;
  tmp: string;
  /** Per Mac caches that a reset with keep_cache keeps. */
  caches: string;
  /** On this host: what the service itself remembers of the work folders, or of the build's own one. */
  state: string;
}

/** A folder that is kept for the builds of one source. */
export interface WorkFolder {
  readonly name: string;
  /** When a build of that source began last, ms; 0: not known. */
  readonly usedAt: number;
}

/** A process to start on a pty of this host so that `argv` runs inside the Mac. */
export interface Launch {
  file: string;
  args: string[];
  /** Environment of the process on this host (for a VM: of the ssh client, not of the build). */
  env: Record<string, string>;
  cwd: string;
}

export interface BuildSession {
  /** Session of the pty. */
  leader: number;
  terminal: string;
  /** Session and process group of the script, which has no terminal; null until it has begun. */
  script: number | null;
}

/** What a build's processes are known by, however they detached themselves. */
export interface BuildProcesses {
  /** `NAME=value`, no other build's, that stands in the environment of whatever the build starts. */
  mark: string;
  /** The sessions of wrapper and script on this host. Null where their numbers may by now be others'. */
  session: BuildSession | null;
  /** A process of this host that starts nothing but this build: all its descendants belong to it, not it itself. */
  ancestor?: number;
}

/** What is remembered of a Mac that is whole, beside it and as long as it exists. */
export const macRecord = z.object({
  rental_id: z.string(),
  account_id: z.int(),
  generation: z.int().min(0),
  revision: z.int().min(0),
  /** Null: none was selected, or it is not known which. */
  xcode: z.string().nullable(),
  /** What the service has put there, or was asked for and found there. */
  runtimes: z.array(z.string()),
  tools: z.array(z.string()),
});
export type MacRecord = z.infer<typeof macRecord>;

export interface HostMac {
  slot_id: string;
  /** Null: making or removing it broke off. */
  record: MacRecord | null;
}

/** Something that a change needs is not on this host, and trying again would not bring it. */
export class NotInstalledError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotInstalledError';
  }
}

/** How far one step of a change has come, 0 to 100. */
export type Percent = (percent: number) => void;

export type ProcessSignal = 'SIGTERM' | 'SIGKILL' | 0;

export interface MacDriver {
  readonly kind: 'local' | 'tart';
  readonly spec: DriverSpec;
  inventory(): Promise<Inventory>;
  /** What this host has, read from the world, not from memory. */
  listMacs(): Promise<HostMac[]>;
  /** Makes a new Mac in an empty slot; it counts as whole when it is remembered. Harmless to repeat. */
  create(mac: Pick<DesiredMac, 'slot_id' | 'image'>, percent: Percent): Promise<void>;
  /** Removes everything of the slot: record, processes, files, secrets. Harmless when it is empty. */
  remove(slotId: string): Promise<void>;
  /** Ends what runs in the Mac, and removes its work folders. Home, caches and what is installed stay. */
  emptyWork(slotId: string): Promise<void>;
  /**
   * Ends what runs in the Mac, and makes its folders anew: work folders and TMPDIR are emptied; home and caches keep
   * what they hold if they can be made usable.
   */
  repair(slotId: string): Promise<void>;
  /**
   * Makes every folder that a build of this source needs usable, whatever a build before it did: removed or moved it,
   * put a file or a link in its place, took its permissions away.
   *
   * @returns the paths as that build has them
   * @throws when there is no such Mac, or a folder cannot be made usable
   */
  prepare(slotId: string, sourceKey: string, signal?: AbortSignal): Promise<MacPaths>;
  workFolders(slotId: string): Promise<WorkFolder[]>;
  /** No build may be running in it. Harmless when it is not there. */
  removeWorkFolder(slotId: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Free space of the disk that the Macs are on, in bytes. */
  freeBytes(): Promise<number>;
  /** @throws NotInstalledError before anything has changed */
  selectXcode(slotId: string, version: string): Promise<void>;
  /** @throws NotInstalledError before anything has changed */
  installRuntime(slotId: string, name: string, percent: Percent): Promise<void>;
  /** @throws NotInstalledError before anything has changed */
  installTool(slotId: string, name: string, percent: Percent): Promise<void>;
  /** Keeps the record durably; from then on the Mac is whole. */
  saveRecord(slotId: string, record: MacRecord): Promise<void>;
  paths(slotId: string): MacPaths;
  /** Absolute DEVELOPER_DIR of an installed Xcode, or null. */
  developerDir(version: string): Promise<string | null>;
  launch(slotId: string, argv: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Launch;
  /**
   * Sends a signal (0: none, only counts) to every process of the build, and to nothing else. Resolves with how many
   * it found: one may be on its way from fork to exec, so only two zeros in a row mean that none is left.
   */
  signal(slotId: string, build: BuildProcesses, signal: ProcessSignal): Promise<number>;
}
