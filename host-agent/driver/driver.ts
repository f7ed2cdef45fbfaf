// The driver port: how a host makes, finds and removes Macs, and how a process is started inside one.
import type { DesiredMac, Inventory, MacFact } from '../../shared/protocol/index.js';

/** Where a build lives inside a Mac. Absolute paths as the build's own processes see them. */
export interface MacPaths {
  home: string;
  /** Sources are laid here; kept between builds unless clean_tree. */
  work: string;
  tmp: string;
  /** Per Mac caches that a reset with keep_cache keeps. */
  caches: string;
}

/** A process to start on a pty of this host so that `argv` runs inside the Mac. */
export interface Launch {
  file: string;
  args: string[];
  /** Environment of the process on this host (for a VM: of the ssh client, not of the build). */
  env: Record<string, string>;
  cwd: string;
}

export interface MacDriver {
  readonly kind: 'local' | 'tart';
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
}
