// What the source step needs from the control plane: the manifest of the upload, and contents by hash.
import type { Readable } from 'node:stream';
import type { SourceManifest } from '../../../shared/protocol/index.js';

export interface SourceFetcher {
  manifest(signal: AbortSignal): Promise<SourceManifest>;
  /** Records `<sha256> <size>\n<bytes>`, in any order, each asked-for hash once. */
  blobs(sha256: readonly string[], signal: AbortSignal): Promise<Readable>;
}
