import { KiB, MiB } from './units.js';

/** Limits of the link to the control plane. Times in ms. */
export interface LinkLimits {
  /** Unacknowledged log bytes of one build. */
  outputWindowBytes: number;
  /** Maximum log bytes per frame. */
  outputFrameBytes: number;
  /** No more log is read while this much waits in the socket. */
  socketBufferBytes: number;
  /** While output is in flight, less than half a frame waits this long for more. */
  outputGatherMs: number;
  /** Time before a log that cannot be read is read again. */
  readRetryMs: number;
  /** Reconnection: exponential with full jitter between these. */
  reconnectBaseMs: number;
  reconnectMaxMs: number;
  /** A connection that lasts this long resets the backoff. */
  stableMs: number;
  /** Time between attempts when there is no common protocol version. */
  mismatchRetryMs: number;
  /** Connection, TLS and upgrade; then the same again for the welcome. */
  handshakeMs: number;
  /** How long the control plane may take to complete a close. */
  goodbyeMs: number;
  /** Maximum size of a message from the control plane. */
  messageBytes: number;
  /** Facts that only report activity are sent at most this often. */
  activityMs: number;
  /** A result that is not acknowledged is sent again after this time. */
  finishedRetryMs: number;
  /** Small artifacts are sent together, up to this many and this many bytes per request. */
  artifactBatchFiles: number;
  artifactBatchBytes: number;
  /** A stopped build sends artifacts for this long, and keeps those sent by then. */
  stoppedArtifactsMs: number;
  /** Attempts while the control plane answers that it cannot store artifacts now. */
  artifactAttempts: number;
  /** After this time of such answers a build ends without the artifacts that are left: its Mac is held until then. */
  artifactRefusedMs: number;
  artifactRetryBaseMs: number;
  artifactRetryMaxMs: number;
}

export const defaultLinkLimits: Readonly<LinkLimits> = {
  outputWindowBytes: 4 * MiB,
  outputFrameBytes: 256 * KiB,
  socketBufferBytes: 1 * MiB,
  outputGatherMs: 20,
  readRetryMs: 5_000,
  reconnectBaseMs: 250,
  reconnectMaxMs: 5_000,
  stableMs: 10_000,
  mismatchRetryMs: 5 * 60_000,
  handshakeMs: 10_000,
  goodbyeMs: 2_000,
  messageBytes: 64 * MiB,
  activityMs: 5_000,
  finishedRetryMs: 15_000,
  artifactBatchFiles: 512,
  artifactBatchBytes: 2 * MiB,
  stoppedArtifactsMs: 3_000,
  artifactAttempts: 20,
  artifactRefusedMs: 60_000,
  artifactRetryBaseMs: 500,
  artifactRetryMaxMs: 30_000,
};
