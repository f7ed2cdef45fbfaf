import { GiB, KiB, MiB } from './units.js';

/** Limits of running builds. A build process gets them from its daemon. */
export interface BuildLimits {
  /** Build processes in the warm pool. */
  warmProcesses: number;
  /**
   * A process taken from the warm pool is replaced after this time, or when a build ends: starting one takes a third
   * of a second of CPU time, which the new build needs more.
   */
  warmRefillMs: number;
  /** How long the daemon waits for a build process to take over a build, or to answer. */
  handoverMs: number;
  /** A build process that does not answer for this long is killed, and its build has failed. 0: never. */
  hungMs: number;
  terminalColumns: number;
  terminalRows: number;
  /** How long the wrapper waits for its end mark to be read before it exits. */
  endMarkWaitS: number;
  /** After this time without output, a program that waits for keys of the terminal gets the end of its input. */
  inputQuietMs: number;
  /** Output is masked and written when this many bytes wait … */
  outputBatchBytes: number;
  /** … or this long after the previous batch; the first output after a pause is written at once. */
  outputBatchMs: number;
  /** A batch of this many bytes indicates a flood: the next batch gets this long to fill. */
  outputFloodBytes: number;
  outputFloodMs: number;
  /** Time between SIGTERM and SIGKILL for processes that a script leaves running. */
  leftoverGraceMs: number;
  /** Killing is repeated until no process is left, at most this long. */
  killRoundsMs: number;
  /** Reserved on disk and freed when the disk is full, so that a result can still be written. */
  reserveBytes: number;
  /**
   * With less free space than this, the least recently used work folders are deleted, and until there is enough the
   * host gets no builds. 0: never.
   */
  diskReserveBytes: number;
  /** Interval and number of retries after an error while determining the state of a build. */
  settleRetryMs: number;
  settleAttempts: number;
  /** How often a build process checks that its folder is unchanged. */
  folderCheckMs: number;
  /** A build process that has not stopped this long after the script's grace period is killed. */
  stopMs: number;
  /** A binary artifact larger than this is not scanned for secrets. */
  artifactScanBytes: number;
  /** Maximum entries of a bundle (an .app, a .framework …), which is one artifact. */
  artifactBundleEntries: number;
  /** A stopped build collects artifacts for this long, and keeps those collected by then. */
  stoppedArtifactsMs: number;
}

export const defaultBuildLimits: Readonly<BuildLimits> = {
  warmProcesses: 1,
  warmRefillMs: 5_000,
  handoverMs: 15_000,
  hungMs: 5 * 60_000,
  terminalColumns: 200,
  terminalRows: 50,
  endMarkWaitS: 60,
  inputQuietMs: 5_000,
  outputBatchBytes: 256 * KiB,
  outputBatchMs: 4,
  outputFloodBytes: 16 * KiB,
  outputFloodMs: 25,
  leftoverGraceMs: 1_000,
  killRoundsMs: 15_000,
  reserveBytes: 128 * KiB,
  diskReserveBytes: 2 * GiB,
  settleRetryMs: 5_000,
  settleAttempts: 3,
  folderCheckMs: 2_000,
  stopMs: 60_000,
  artifactScanBytes: 64 * MiB,
  artifactBundleEntries: 100_000,
  stoppedArtifactsMs: 3_000,
};
