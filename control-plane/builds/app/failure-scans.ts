// Searches for the cause of a failure while the log of a running build arrives. The state is a cache: after a restart,
// or when a log was truncated or continued, it is rebuilt from the stored log.
import { setImmediate } from 'node:timers/promises';
import type { BuildResult } from '../../../shared/build.js';
import type { Build } from '../domain/build.js';
import { isForLog } from '../domain/failure.js';
import type { LogFinding } from '../domain/failure-finding.js';
import { createFailureScan, type FailureScan } from '../domain/failure-scan.js';
import type { BuildLogs } from '../logs/build-logs.js';

/** Bytes read before yielding to other work: a few milliseconds, even for adversarial lines. */
const TURN_BYTES = 64 * 1024;

type Attempt = Pick<Build, 'buildId' | 'attempt' | 'logBase'>;

interface Entry {
  readonly attempt: number;
  readonly scan: FailureScan;
  /** Offset in the build's log up to which it has been scanned. */
  at: number;
}

export type FailureScans = ReturnType<typeof createFailureScans>;

/** @param kept attempts scanned at the same time; the log of any other is read again when it ends */
export function createFailureScans(logs: BuildLogs, kept: number) {
  const entries = new Map<string, Entry>();

  const start = ({ buildId, attempt }: Attempt): Entry => {
    const [oldest] = entries.keys();
    if (entries.size >= kept && oldest !== undefined) entries.delete(oldest);
    const entry = { attempt, scan: createFailureScan(), at: 0 };
    entries.set(buildId, entry);
    return entry;
  };

  return {
    /**
     * Scans newly stored output unless earlier bytes were missed; `length` is that of the log. Calls for one build must
     * not overlap.
     */
    async watch(attempt: Attempt, offset: number, bytes: Buffer, length: number): Promise<void> {
      const known = entries.get(attempt.buildId);
      let entry = known?.attempt === attempt.attempt ? known : null;
      // A later attempt's log begins behind lines of earlier ones, so it is scanned when it has ended.
      if (entry === null && offset === 0 && attempt.logBase === 0) entry = start(attempt);
      // After a resend the log may already hold more than this piece; the rest is scanned when it is resent, or at the
      // end.
      const sent = Math.min(length, offset + bytes.length);
      if (entry === null || entry.at < offset || entry.at >= sent) return;
      for (;;) {
        const end = Math.min(sent, entry.at + TURN_BYTES);
        entry.scan.read(bytes.subarray(entry.at - offset, end - offset));
        entry.at = end;
        if (end >= sent) return;
        await setImmediate();
      }
    },
    /** Returns what the complete log of an ended attempt says about its failure; null if the script did not fail. */
    async explain(attempt: Attempt, result: BuildResult): Promise<LogFinding | null> {
      const { buildId, logBase } = attempt;
      const entry = entries.get(buildId);
      entries.delete(buildId);
      if (!isForLog(result)) return null;
      const watched = entry?.attempt === attempt.attempt ? entry : null;
      const scan = watched?.scan ?? createFailureScan(await logs.lineAt(buildId, logBase));
      const start = watched?.at ?? logBase;
      const end = logBase + result.log.bytes;
      for await (const piece of logs.stream(buildId, { start, end })) {
        for (let at = 0; at < piece.length; at += TURN_BYTES) {
          scan.read(piece.subarray(at, at + TURN_BYTES));
          await setImmediate();
        }
      }
      return scan.end(result.exit_code, result.work_folder ?? null);
    },
    /** Discards the state because the stored log was truncated or the build has ended. */
    forget(buildId: string): void {
      entries.delete(buildId);
    },
  };
}
