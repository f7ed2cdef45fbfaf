import { KiB, MiB } from './units.js';

/** Limits of the work in a guest (a virtual machine). Times in ms. */
export interface GuestLimits {
  /** A short call: listing, signals, small commands. */
  callMs: number;
  /** How long a supervisor may take to signal the processes of its build, before another program does it. */
  signalMs: number;
  /** Making the folders of a build usable, deleting those of others. */
  foldersMs: number;
  /** Output of a script that the guest keeps until this host has it; then the script waits. */
  outputBytes: number;
  /** Output is acknowledged after this many bytes. */
  acknowledgeBytes: number;
  /** A connection on which nothing arrives for this long is replaced. The guest says something every 10 seconds. */
  silentMs: number;
  /** Time between attempts to connect again: exponential between these. */
  retryBaseMs: number;
  retryMaxMs: number;
  /** A guest that could not be reached for this long is lost, and so is its build. */
  lostMs: number;
  /** After a supervisor was killed, how long the guest may take to show that it is shutting down. */
  goneMs: number;
  /** A build that this host has not followed for this long is ended by the guest. */
  abandonedMs: number;
  /** After this time without output, a program that waits for keys of the terminal gets the end of its input. */
  inputQuietMs: number;
}

export const defaultGuestLimits: Readonly<GuestLimits> = {
  callMs: 60_000,
  signalMs: 15_000,
  foldersMs: 10 * 60_000,
  outputBytes: 4 * MiB,
  acknowledgeBytes: 256 * KiB,
  silentMs: 45_000,
  retryBaseMs: 50,
  retryMaxMs: 5_000,
  lostMs: 2 * 60_000,
  goneMs: 2_000,
  abandonedMs: 10 * 60_000,
  inputQuietMs: 5_000,
};
