import { MiB } from './units.js';

/** Limits of changes to the software of a Mac that is a virtual machine. Times in ms. */
export interface SoftwareLimits {
  /** A command that is expected to answer at once. */
  commandMs: number;
  /** Each step of a change of Xcode: license, first launch, shutting down simulators. */
  xcodeStepMs: number;
  /** A download or an import of a simulator runtime, and how long it may print nothing. */
  runtimeMs: number;
  runtimeStallMs: number;
  /** How long a runtime may take to become ready after it was installed, and how often that is checked. */
  runtimeReadyMs: number;
  runtimePollMs: number;
  /** Attempts of a download that fails because the guest's simulator service is not ready, and the pause between them. */
  runtimeAttempts: number;
  runtimeRetryMs: number;
  /** An installation by Homebrew, and how long it may print nothing. */
  toolMs: number;
  toolStallMs: number;
  /** Reading the home folder of an image, or restoring it. */
  homeMs: number;
  /** Maximum size of the contents of small files that are kept to restore a home folder. */
  homeContentBytes: number;
  /** Maximum number of files in the home folder of an image that can be restored. */
  homeFiles: number;
}

export const defaultSoftwareLimits: Readonly<SoftwareLimits> = {
  commandMs: 60_000,
  xcodeStepMs: 15 * 60_000,
  runtimeMs: 3 * 60 * 60_000,
  runtimeStallMs: 15 * 60_000,
  runtimeReadyMs: 15 * 60_000,
  runtimePollMs: 5_000,
  runtimeAttempts: 4,
  runtimeRetryMs: 15_000,
  toolMs: 60 * 60_000,
  toolStallMs: 20 * 60_000,
  homeMs: 5 * 60_000,
  homeContentBytes: 32 * MiB,
  homeFiles: 1_000_000,
};
