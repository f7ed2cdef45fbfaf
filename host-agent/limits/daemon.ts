import { MiB } from './units.js';

/** Limits of the daemon. */
export interface DaemonLimits {
  /** How often the inventory is read. */
  inventoryMs: number;
  /** How often the doctor's checks are run, and the least time between two rounds, however often something changes. */
  healthMs: number;
  healthPauseMs: number;
  /** Backoff for a Mac that could not be created, or a build that could not be started. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** Attempts to start a build before it is reported as failed. */
  startAttempts: number;
  /** Attempts to change a Mac before the failure is reported. */
  changeAttempts: number;
  /** How long a stopping daemon waits for changes of Macs in progress. */
  closingMs: number;
  /** How often the agent checks that its credential and configuration still exist. */
  dataCheckMs: number;
  /** Size at which the agent's log file is rotated, and number of older files kept. */
  logFileBytes: number;
  logFilesKept: number;
  /** How long the service at another address may take to prove that it knows the host, and then to welcome it. */
  moveProofMs: number;
  moveTrialMs: number;
  /** Time between attempts to move, doubled each time up to the second. */
  moveRetryMs: number;
  moveRetryMaxMs: number;
  /** After a move: returns when the new address does not answer for the first time, until the second is over. */
  moveReturnAfterMs: number;
  moveReturnMs: number;
  /** How long an upgrade may download its package, over any interruptions. */
  upgradeDownloadMs: number;
  /** How long the program of a new version may take to print its version. */
  upgradeCheckMs: number;
  /** How long an upgrade waits until no Mac is created or changed. */
  upgradeMacsMs: number;
  /** How long a new version may take until the service has welcomed it, and starts it may need; else the old one returns. */
  upgradeTrialMs: number;
  upgradeStarts: number;
}

export const defaultDaemonLimits: Readonly<DaemonLimits> = {
  inventoryMs: 60_000,
  healthMs: 15 * 60_000,
  healthPauseMs: 30_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  startAttempts: 5,
  changeAttempts: 4,
  closingMs: 5_000,
  dataCheckMs: 2_000,
  logFileBytes: 16 * MiB,
  logFilesKept: 5,
  moveProofMs: 15_000,
  moveTrialMs: 30_000,
  moveRetryMs: 30_000,
  moveRetryMaxMs: 10 * 60_000,
  moveReturnAfterMs: 5 * 60_000,
  moveReturnMs: 24 * 3_600_000,
  upgradeDownloadMs: 30 * 60_000,
  upgradeCheckMs: 30_000,
  upgradeMacsMs: 10 * 60_000,
  upgradeTrialMs: 60_000,
  upgradeStarts: 3,
};
