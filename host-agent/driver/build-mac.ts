// The port through which a build works in its Mac. The daemon does not use it: the driver ends and deletes what is left
// of a build whose process is gone.
import type { ProcessSignal } from './driver.js';

/** The folders of one build: absolute paths, as the build's processes see them unless stated otherwise. */
export interface BuildPaths {
  home: string;
  /** The work folder of its source. */
  work: string;
  tmp: string;
  /** CIDERMILL_ARTIFACTS. */
  artifacts: string;
  /** On this host: where the source step checks out. The work folder itself, if that is on this host. */
  sources: string;
  /** On this host: the service's state about the sources. */
  state: string;
}

export interface ScriptEnd {
  /** 128 + n for a signal n. */
  exitCode: number;
  /** All output has been read. */
  complete: boolean;
  /** Number of the build's processes that still ran after that; null: not checked. */
  left: number | null;
}

/** A script on a pty of its Mac, which waits for its start. */
export interface BuildScript {
  /** Starts the script. Call once. */
  begin(): void;
  /** Resolves when the script has started or can no longer start. A signal sent earlier does not reach the script. */
  begun: Promise<void>;
  /**
   * Resolves when the script has exited and all its output was read, or when its supervisor is gone. Rejects if the script
   * never started, or the Mac is lost.
   */
  ended: Promise<ScriptEnd>;
  /**
   * Sends a signal (0: only counts) to every process of the build, and to no other. Returns how many it found. A
   * process between fork and exec may be missed, so only two zeros in a row mean that none is left.
   */
  signal(signal: ProcessSignal): Promise<number>;
  /** Lets the supervisor of the script exit. No more output is read; `signal` still works. */
  release(): void;
  /** Call it last, always. */
  close(): Promise<void>;
}

export interface ScriptRequest {
  script: string;
  /** What the service sets for the script, without what the Mac itself sets. */
  env: Record<string, string>;
  /** Set for the script alone: no program that starts it sees them under their names. */
  variables: Record<string, string>;
  /**
   * Written into files that only the build's user can read; the script's variables of these names have their paths. The
   * files are in no work folder, and deleted with the script.
   */
  files: Record<string, Buffer>;
  paths: BuildPaths;
  columns: number;
  rows: number;
  /** Receives the script's output; the memory is valid only during the call. */
  onOutput(bytes: Buffer): void;
  /** Called when a program waited for keys of the terminal, which has none, and its input was ended. */
  onInputEnded(): void;
}

export interface BuildMac {
  /**
   * Makes every folder that a build of this source needs usable, even if an earlier build removed or moved it, put a
   * file or a link in its place, or took away its permissions.
   *
   * @throws when there is no such Mac, or a folder cannot be made usable; the error of the file system on a full disk
   */
  prepare(sourceKey: string, signal: AbortSignal): Promise<BuildPaths>;
  /**
   * Deletes work folders of other sources, least recently used first, until `reserveBytes` are free. Returns how many it
   * has deleted.
   */
  makeRoom(sourceKey: string, reserveBytes: number, signal: AbortSignal): Promise<number>;
  /** Returns the absolute DEVELOPER_DIR of an installed Xcode, or null. */
  developerDir(version: string): Promise<string | null>;
  /** Makes the work folder equal to the checked out sources, except for files that only builds have made. */
  deliver(paths: BuildPaths, options: { clean: boolean; say(line: string): void; signal: AbortSignal }): Promise<void>;
  /** @throws when no shell can be started in the Mac */
  openScript(request: ScriptRequest): BuildScript;
  /**
   * Brings the artifacts into a folder of this host that no process of the Mac can change. All of the build's processes
   * must have ended.
   *
   * @param to a folder of this host that does not exist yet, for a Mac that is not on this host
   */
  collect(paths: BuildPaths, to: string, options: CollectLimits): Promise<CollectedFolder>;
  /** Deletes the script and the artifacts that are left in the Mac. */
  removeFiles(signal: AbortSignal): Promise<void>;
}

export interface CollectLimits {
  maxBytes: number;
  /** All files, links and folders. */
  maxEntries: number;
  /** Ends the collection; what has arrived by then is kept. */
  signal: AbortSignal;
}

export interface CollectedFolder {
  /** Missing if the build left no folder of artifacts; a file if it put something else in its place. */
  folder: string;
  /** Not copied: beyond `maxBytes`, neither file nor folder (or too deep), or with a name that is not valid on the host. */
  leftOut: readonly { name: string; reason: 'size' | 'other' | 'name' }[];
  /** There were more entries than `maxEntries`. */
  cut: boolean;
}
