// What the link needs of the use cases. They are told of hosts' words and asked what hosts should do; the link
// itself decides nothing.
import type { Readable } from 'node:stream';
import type {
  BuildFact,
  BuildResult,
  DesiredBuild,
  DesiredMac,
  MacFact,
  OutputHeader,
  SourceManifest,
} from '../../shared/protocol/index.js';

/** Every function ignores what a host says of an attempt that is not its own (host and attempt fence). */
export interface LinkBuilds {
  /** Secrets are resolved by this call, for attempts that the host has not reported yet. */
  desiredBuilds(hostId: string): Promise<DesiredBuild[]>;
  facts(hostId: string, facts: readonly BuildFact[]): Promise<void>;
  /**
   * Appends when `header.offset` is the stored length; in any case answers the stored length. Of an attempt that
   * is not this host's it answers as if it had been stored, so that a late host comes to its end.
   */
  output(hostId: string, header: OutputHeader, data: Buffer): Promise<{ nextOffset: number }>;
  /** `resendFrom` when the log is not whole; null when there is nothing left to say about the attempt. */
  finished(
    hostId: string,
    report: { build_id: string; attempt: number; result: BuildResult },
  ): Promise<{ resendFrom: number | null }>;
}

export interface LinkMacs {
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  macFacts(hostId: string, facts: readonly MacFact[]): Promise<void>;
}

export interface BuildAssignment {
  readonly accountId: number;
  readonly uploadId: string | null;
}

/** Bulk bytes of a build. */
export interface LinkFiles {
  /** Null unless this attempt is running on this host now. */
  assignment(hostId: string, buildId: string, attempt: number): Promise<BuildAssignment | null>;
  manifestOf(uploadId: string, accountId: number): Promise<SourceManifest>;
  openBlob(accountId: number, sha256: string): Promise<{ size: number; stream: Readable }>;
  /** Keeps the artifact once its size and hash have been verified; repeating it is harmless. */
  storeArtifact(
    artifact: { buildId: string; attempt: number; name: string; bytes: number; sha256: string },
    stream: Readable,
  ): Promise<void>;
}
