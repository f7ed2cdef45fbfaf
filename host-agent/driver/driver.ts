// The driver port: how a host makes, finds and removes Macs, and how processes are started and ended inside one.
import { z } from 'zod';
import type { DesiredMac, Inventory, MacFact } from '../../shared/protocol/index.js';

/** Enough to open the same driver in another process (a build has its own). Never holds a credential. */
export const driverSpec = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('local'), data_dir: z.string(), applications_dir: z.string() }),
]);
export type DriverSpec = z.infer<typeof driverSpec>;

/** Where a build lives inside a Mac. Absolute paths as the build's own processes see them. */
export interface MacPaths {
  home: string;
  /** Sources are laid here; kept between builds unless clean_tree. */
  work: string;
  tmp: string;
  /** Per Mac caches that a reset with keep_cache keeps. */
  caches: string;
  /** On this host: what the service itself remembers of the work folder, as long as the Mac exists. */
  state: string;
}

/** A process to start on a pty of this host so that `argv` runs inside the Mac. */
export interface Launch {
  file: string;
  args: string[];
  /** Environment of the process on this host (for a VM: of the ssh client, not of the build). */
  env: Record<string, string>;
  cwd: string;
}

/** What a build's processes are known by, however they detached themselves. */
export interface BuildProcesses {
  /** `NAME=value`, no other build's, that stands in the environment of whatever the build starts. */
  mark: string;
  /** The pty's session on this host. Null where its number may by now be another's. */
  session: { leader: number; terminal: string } | null;
}

export type ProcessSignal = 'SIGTERM' | 'SIGKILL' | 0;

export interface MacDriver {
  readonly kind: 'local' | 'tart';
  readonly spec: DriverSpec;
  inventory(): Promise<Inventory>;
  /** What this host has, read from the world, not from memory. */
  facts(): Promise<MacFact[]>;
  /** Makes the Mac as desired; harmless when it already is. A changed generation or rental makes it anew. */
  ensure(mac: DesiredMac): Promise<void>;
  /** Removes everything of the slot: processes, files, secrets. Harmless when it is empty. */
  remove(slotId: string): Promise<void>;
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
