// What the source step needs from the control plane: the manifest of the upload, and contents by hash.
import type { Readable } from 'node:stream';
import type { SourceManifest } from '../../../shared/protocol/index.js';

/**
 * A failure that asking again cannot mend is a BuildStepError; after any other failure, or when the stream breaks
 * off, the step asks again for what it has not got.
 */
export interface SourceFetcher {
  manifest(signal: AbortSignal): Promise<SourceManifest>;
  /** Records `<sha256> <size>\n<bytes>`, in any order, each asked-for hash once. */
  blobs(sha256: readonly string[], signal: AbortSignal): Promise<Readable>;
}
