import { GiB } from './units.js';

/** Limits of drivers that make Macs as virtual machines. Times in ms. */
export interface VmLimits {
  /** How long a short command of the tool (list, set, delete …) may take. */
  commandMs: number;
  /** Reports about Macs and images wait this long for the tool, then use its last answer. */
  answerMs: number;
  cloneMs: number;
  /** A pull that prints nothing for this long is given up: large layers are unpacked without progress. */
  pullSilenceMs: number;
  /** How long a started virtual machine may take until commands run in it. */
  bootMs: number;
  /** How often it is tried during that time, and how long one attempt may take. */
  bootPollMs: number;
  bootAttemptMs: number;
  /** A Mac whose guest has not come up in so many boots is made anew. */
  bootAttempts: number;
  /** An image whose guest can be reached by ssh, but not by the tool itself for this long, is reached by ssh. */
  guestAgentMs: number;
  /** How long a guest that was asked to shut down may take until it is switched off. */
  shutdownMs: number;
  /** How long the tool waits for a virtual machine to end before it kills it, in seconds. */
  stopS: number;
  /** How often the agent looks for Macs that are switched off and for leftovers. */
  watchMs: number;
  /** An image of which no Mac could be made, because of what is in it, is tried again after this time. */
  unusableMs: number;
  /** How often a host that cannot create Macs tries again. */
  blockedProbeMs: number;
  /** Disk space that every virtual machine may still take, if its disk is that large. A clone needs room for all of them. */
  growthBytes: number;
  /** Free disk space that fetching an image needs. */
  pullBytes: number;
  /** Free disk space that stays when virtual machines are created. */
  reserveBytes: number;
  /** Guests that are reached by ssh: seconds for a connection; silence of three times `sshAliveS` ends one. */
  sshConnectS: number;
  sshAliveS: number;
  /** The clock of a guest is set when it differs by more than this. */
  clockSkewMs: number;
}

export const defaultVmLimits: Readonly<VmLimits> = {
  commandMs: 60_000,
  answerMs: 5_000,
  cloneMs: 10 * 60_000,
  pullSilenceMs: 30 * 60_000,
  bootMs: 5 * 60_000,
  bootPollMs: 500,
  bootAttemptMs: 15_000,
  bootAttempts: 3,
  guestAgentMs: 60_000,
  shutdownMs: 30_000,
  stopS: 10,
  watchMs: 10_000,
  unusableMs: 10 * 60_000,
  blockedProbeMs: 60_000,
  growthBytes: 40 * GiB,
  pullBytes: 60 * GiB,
  reserveBytes: 10 * GiB,
  sshConnectS: 10,
  sshAliveS: 5,
  clockSkewMs: 2_000,
};
