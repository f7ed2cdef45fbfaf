// Ports of the link: it passes on the reports of hosts and queries their desired state. The decisions are made in the
// use cases that implement these ports.
import type { Readable } from 'node:stream';
import type { BuildResult } from '../../../shared/build.js';
import type {
  BuildFact,
  DesiredBuild,
  DesiredImage,
  DesiredMac,
  ImageFact,
  MacFact,
  OutputHeader,
} from '../../../shared/protocol/index.js';

/** Builds on hosts. A report of an old attempt is accepted and has no effect. */
export interface LinkBuilds {
  /**
   * Returns every attempt that should be running or stopped on this host. `spec` and `secrets` (decrypted
   * for this call only) are included until the host has reported the attempt. A build that can never start ends here.
   *
   * @param failed called for a build whose start could not be prepared now; other builds are not affected. The host is
   *   told to keep the build as it is; the desired state should be computed again soon.
   */
  desiredBuilds(hostId: string, failed?: (buildId: string, error: unknown) => void): Promise<DesiredBuild[]>;
  /** Records the builds on the host. An attempt that the host no longer has ends here. */
  facts(hostId: string, facts: readonly BuildFact[]): Promise<void>;
  /**
   * Stores output of an attempt and returns the next offset expected, in the attempt's log. With empty data it only
   * returns the offset. If `nextOffset` is not the end of the sent data, everything after it was discarded.
   */
  output(hostId: string, header: OutputHeader, data: Buffer): Promise<{ nextOffset: number }>;
  /**
   * Ends an attempt. `resendFrom` is null when the whole log is stored (or the attempt is no longer running);
   * otherwise the offset from which the host must resend the log before it repeats the report.
   */
  finished(
    hostId: string,
    report: { build_id: string; attempt: number; result: BuildResult },
  ): Promise<{ resendFrom: number | null }>;
}

/** Macs of hosts. */
export interface LinkMacs {
  /** Returns the Macs that should be in the slots of this host. */
  desiredMacs(hostId: string): Promise<DesiredMac[]>;
  /** Records the Macs in the slots of this host; `all`: the host has no other Macs. */
  macFacts(hostId: string, facts: readonly MacFact[], all?: boolean): Promise<void>;
  /** Returns every image that tiers name, and whether this host should fetch it now. */
  desiredImages(hostId: string): Promise<DesiredImage[]>;
  /**
   * Records this host's report about its images.
   *
   * @param whole false: some of its records could not be read
   */
  imageFacts(hostId: string, facts: readonly ImageFact[], whole?: boolean): Promise<void>;
}

export interface BuildAssignment {
  readonly accountId: number;
  readonly uploadId: string | null;
}

/** Bulk data of a build. */
export interface LinkFiles {
  /** Returns null unless this attempt is running on this host now. */
  assignment(hostId: string, buildId: string, attempt: number): Promise<BuildAssignment | null>;
  /** Returns the JSON of the manifest, or of its changes since the manifest with the SHA-256 `since`. */
  openManifest(uploadId: string, accountId: number, since?: string): Promise<{ size: number; stream: Readable }>;
  /** Returns the SHA-256 of every content in the upload's manifest. */
  contentsOf(uploadId: string, accountId: number): Promise<{ has(sha256: string): boolean }>;
  openBlob(accountId: number, sha256: string): Promise<{ size: number; stream: Readable }>;
  /** Stores the artifact once its size and hash are verified. Idempotent. */
  storeArtifact(
    artifact: {
      buildId: string;
      attempt: number;
      name: string;
      bytes: number;
      sha256: string;
      executable?: boolean;
    },
    stream: Readable,
  ): Promise<void>;
  /** Stores many small artifacts from one body; returns the refused ones. */
  storeArtifacts(
    ref: { buildId: string; attempt: number },
    body: AsyncIterable<Buffer>,
  ): Promise<readonly { readonly name: string; readonly code: string }[]>;
}
