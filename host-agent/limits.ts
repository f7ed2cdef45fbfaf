// Every number that the host agent is bound by. Each can be replaced by the agent's configuration.

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;

/** What bounds the source step of a build. */
export interface SourceLimits {
  /** Size of the content cache of one account on one host; the least recently used contents leave first. */
  contentCacheBytes: number;
  /** Size of all repository mirrors of one account on one host. */
  gitMirrorBytes: number;
  /** Contents up to this size go through memory whole; larger ones are streamed to disk and cloned from there. */
  smallContentBytes: number;
  /** Contents asked for in one request to the control plane, by number and by sum of their sizes. */
  blobsPerRequest: number;
  blobBytesPerRequest: number;
  /** Requests in a row that bring nothing new before the sources count as unavailable. */
  transferAttempts: number;
  /** Attempts of a git command that failed for the network. */
  gitAttempts: number;
  retryBaseMs: number;
  retryMaxMs: number;
  /** A git transfer slower than this for this long is given up. */
  gitSlowBytesPerSecond: number;
  gitSlowSeconds: number;
  /** Submodules inside submodules, and submodules of one build. */
  submoduleDepth: number;
  submodules: number;
  /** A mirror's lock whose holder has given no sign of life for this long is taken over. */
  lockStaleMs: number;
}

export const defaultSourceLimits: Readonly<SourceLimits> = {
  contentCacheBytes: 20 * GiB,
  gitMirrorBytes: 20 * GiB,
  smallContentBytes: MiB,
  blobsPerRequest: 10_000,
  blobBytesPerRequest: 512 * MiB,
  transferAttempts: 12,
  gitAttempts: 4,
  retryBaseMs: 250,
  retryMaxMs: 30_000,
  gitSlowBytesPerSecond: 1000,
  gitSlowSeconds: 60,
  submoduleDepth: 5,
  submodules: 100,
  lockStaleMs: 60_000,
};
