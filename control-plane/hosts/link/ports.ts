// What the link needs of the use cases. They are told of hosts' words and asked what hosts should do; the link
// itself decides nothing.
import type { Readable } from 'node:stream';
import type { BuildRuns } from '../../builds/app/build-runs.js';
import type { Rentals } from '../../macs/app/rentals.js';

export type LinkBuilds = Pick<BuildRuns, 'desiredBuilds' | 'facts' | 'output' | 'finished'>;

export type LinkMacs = Pick<Rentals, 'desiredMacs' | 'macFacts'>;

export interface BuildAssignment {
  readonly accountId: number;
  readonly uploadId: string | null;
}

/** Bulk bytes of a build. */
export interface LinkFiles {
  /** Null unless this attempt is running on this host now. */
  assignment(hostId: string, buildId: string, attempt: number): Promise<BuildAssignment | null>;
  /** The manifest's JSON as it is stored. */
  openManifest(uploadId: string, accountId: number): Promise<{ size: number; stream: Readable }>;
  /** SHA-256 of every content that the upload names. */
  contentsOf(uploadId: string, accountId: number): Promise<{ has(sha256: string): boolean }>;
  openBlob(accountId: number, sha256: string): Promise<{ size: number; stream: Readable }>;
  /** Keeps the artifact once its size and hash have been verified; repeating it is harmless. */
  storeArtifact(
    artifact: { buildId: string; attempt: number; name: string; bytes: number; sha256: string },
    stream: Readable,
  ): Promise<void>;
  /** The same for a body of many small ones; returns those that were refused. */
  storeArtifacts(
    ref: { buildId: string; attempt: number },
    body: AsyncIterable<Buffer>,
  ): Promise<readonly { readonly name: string; readonly code: string }[]>;
}
