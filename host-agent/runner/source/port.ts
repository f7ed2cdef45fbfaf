// What the source step needs from the control plane.
import type { Readable } from 'node:stream';
import type { ManifestChanges, SourceManifest } from '../../../shared/protocol/index.js';

/**
 * A BuildStepError is final. After any other error, or when the stream breaks off, the source step requests again
 * what is missing.
 */
export interface SourceFetcher {
  manifest(signal: AbortSignal): Promise<SourceManifest>;
  /** @param since SHA-256 of a manifest that the host has; the whole manifest if the service does not know the changes */
  manifestSince(signal: AbortSignal, since: string): Promise<SourceManifest | ManifestChanges>;
  /** Returns records `<sha256> <size>\n<bytes>`, in any order, each requested hash once. */
  blobs(sha256: readonly string[], signal: AbortSignal): Promise<Readable>;
}
