import { GiB, MiB } from './units.js';

/** Limits of the source step of a build. */
export interface SourceLimits {
  /** Size of the content cache per account; the least recently used contents are deleted first. */
  contentCacheBytes: number;
  /** Size of all repository mirrors per account. */
  gitMirrorBytes: number;
  /** Contents up to this size are held in memory; larger ones are streamed to disk and cloned. */
  smallContentBytes: number;
  /** Contents per request to the control plane, by number and by total size. */
  blobsPerRequest: number;
  blobBytesPerRequest: number;
  /** Consecutive requests without new contents before the sources count as unavailable. */
  transferAttempts: number;
  /** Answers with wrong contents before the sources count as damaged on the service. */
  transferWrongAnswers: number;
  /** Attempts of a git command that fails because of the network. */
  gitAttempts: number;
  retryBaseMs: number;
  retryMaxMs: number;
  /** A git transfer that is slower than this for this long is aborted. */
  gitSlowBytesPerSecond: number;
  gitSlowSeconds: number;
  /** Maximum nesting of submodules, and number per build. */
  submoduleDepth: number;
  submodules: number;
}

export const defaultSourceLimits: Readonly<SourceLimits> = {
  contentCacheBytes: 20 * GiB,
  gitMirrorBytes: 20 * GiB,
  smallContentBytes: MiB,
  blobsPerRequest: 10_000,
  blobBytesPerRequest: 512 * MiB,
  // About five minutes: a build survives a restart of the control plane.
  transferAttempts: 300,
  transferWrongAnswers: 3,
  gitAttempts: 4,
  retryBaseMs: 250,
  retryMaxMs: 2_000,
  gitSlowBytesPerSecond: 1000,
  gitSlowSeconds: 60,
  submoduleDepth: 5,
  submodules: 100,
};
