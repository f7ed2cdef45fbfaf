// What happens to a build on its host: the desires it is part of, and the facts that come back.
import type { BuildFact, BuildResult, DesiredBuild, OutputHeader } from '../../shared/protocol/index.js';

/** What the host link needs of builds. A report that names an old attempt is taken and has no effect. */
export interface BuildRuns {
  /**
   * Every attempt that should be running, or should be stopped, on this host. `spec` and `secrets` (decrypted
   * for this call only) come until the host has reported the attempt.
   */
  desiredBuilds(hostId: string): Promise<DesiredBuild[]>;
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
  /** Ends every build of a host that stayed away too long, or that has been removed. */
  hostLost(hostId: string): Promise<void>;
}
