// What the link needs of the use cases. They are told of hosts' words and asked what hosts should do; the link
// itself decides nothing.
import type { Readable } from 'node:stream';
import type { BuildResult } from '../../../shared/build.js';
import type {
  BuildFact,
  DesiredBuild,
  DesiredMac,
  MacFact,
  OutputHeader,
} from '../../../shared/protocol/index.js';

/** Builds on their hosts; what each call does and answers stands with `BuildRuns`. */
export interface LinkBuilds {
  desiredBuilds(hostId: string, failed?: (buildId: string, error: unknown) => void): Promise<DesiredBuild[]>;
  facts(hostId: string, facts: readonly BuildFact[]): Promise<void>;
  output(hostId: string, header: OutputHeader, data: Buffer): Promise<{ nextOffset: number }>;
  finished(
    hostId: string,
    report: { build_id: string; attempt: number; result: BuildResult },
  ): Promise<{ resendFrom: number | null }>;
}

/** Macs of hosts; see `Rentals`. */
export interface LinkMacs {
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  macFacts(hostId: string, facts: readonly MacFact[], all?: boolean): Promise<void>;
}

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
