// What the link needs of use cases above: it reports what hosts say, asks what hosts should do, and decides nothing
// itself.
import type { Readable } from 'node:stream';
import type { BuildResult } from '../../../shared/build.js';
import type {
  BuildFact,
  DesiredBuild,
  DesiredMac,
  MacFact,
  OutputHeader,
} from '../../../shared/protocol/index.js';

/** Builds on their hosts. A report that names an old attempt is accepted and has no effect. */
export interface LinkBuilds {
  /**
   * Every attempt that should be running, or should be stopped, on this host. `spec` and `secrets` (decrypted
   * for this call only) come until the host has reported the attempt. A build that can never start ends here.
   *
   * @param failed called for a build whose start could not be worked out now; the others are not affected. The host is
   *   told to keep what it has of it, and should be told again soon.
   */
  desiredBuilds(hostId: string, failed?: (buildId: string, error: unknown) => void): Promise<DesiredBuild[]>;
  /** Records what the host has; an attempt that it cannot find any more ends here. */
  facts(hostId: string, facts: readonly BuildFact[]): Promise<void>;
  /**
   * Stores output of an attempt; the answer is the next offset wanted, in the attempt's own log. Empty data asks
   * only. When `nextOffset` is not the end of what was sent, nothing behind it has been kept.
   */
  output(hostId: string, header: OutputHeader, data: Buffer): Promise<{ nextOffset: number }>;
  /**
   * Ends an attempt. Answers null when all is stored (or the report is of no interest any more); else the offset
   * from which the log has to be sent again before the same report is repeated.
   */
  finished(
    hostId: string,
    report: { build_id: string; attempt: number; result: BuildResult },
  ): Promise<{ resendFrom: number | null }>;
}

/** Macs of hosts. */
export interface LinkMacs {
  /** What should be in the slots of this host. */
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  /** Records what is in the slots of this host; `all`: it has no other Macs than these. */
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
  /** Stores the artifact once its size and hash are verified. Idempotent. */
  storeArtifact(
    artifact: { buildId: string; attempt: number; name: string; bytes: number; sha256: string },
    stream: Readable,
  ): Promise<void>;
  /** Stores many small artifacts from one body; returns the refused ones. */
  storeArtifacts(
    ref: { buildId: string; attempt: number },
    body: AsyncIterable<Buffer>,
  ): Promise<readonly { readonly name: string; readonly code: string }[]>;
}
