// Candidate lines for the cause of a failure; keeps the best ones.
import type { Candidate } from './failure-finding.js';
import { isOfExitCode, type ReasonCode, reasonOfExitCode } from './failure-reasons.js';
import { type FailureRow, rank } from './failure-row.js';
import { isForeign } from './log-path.js';

/**
 * From this rank on, lines this far apart are taken to come from different commands of the script. The later command
 * ended it, so errors of the earlier one were tolerated.
 */
const BY_COMMAND = 2 * rank.command;
const APART = 50;

interface Best {
  readonly candidate: Candidate;
  /** Lower is nearer to the cause. */
  readonly key: number;
  /** The last line of the same key, not far from the one before it. */
  lastLine: number;
}

export function createCauseCandidates() {
  let best: Best | null = null;
  let earlier: Best | null = null;
  const meant = new Map<ReasonCode, Candidate>();

  return {
    /** The best candidate since the last success of a tool. */
    best: (): Candidate | null => best?.candidate ?? null,
    /** Returns whether a line of this rank, or of a half rank, could still change the result. */
    matters(possible: number): boolean {
      const key = 2 * possible;
      return best === null || key < best.key || (key === best.key && key >= BY_COMMAND);
    },
    /** Returns whether a line that matches the row can become the best, or is relevant to an exit code. */
    wants(row: FailureRow, line: number): boolean {
      const key = 2 * row.rank;
      if (best === null || key < best.key || isOfExitCode(row.reason)) return true;
      const goesOn = line - best.lastLine <= APART;
      if (key === best.key && goesOn) best.lastLine = line;
      return key === best.key && !goesOn;
    },
    /** Returns whether the candidate is now the best. */
    offer(candidate: Candidate): boolean {
      const { row, found } = candidate;
      // Between two of the same rank, the one in the build's own code is the cause.
      const key = 2 * row.rank + (found.file !== undefined && isForeign(found.file) ? 1 : 0);
      if (isOfExitCode(row.reason)) meant.set(row.reason, candidate);
      if (best !== null && key >= best.key) {
        const apart = candidate.line - best.lastLine > APART;
        if (key === best.key) best.lastLine = candidate.line;
        if (key > best.key || key < BY_COMMAND || !apart) return false;
      }
      best = { candidate, key, lastLine: candidate.line };
      return true;
    },
    /** Records the success of a tool: earlier candidates count only if there are no later ones. */
    setAside(): void {
      if (best !== null && (earlier === null || best.key < earlier.key)) earlier = best;
      best = null;
    },
    /** Returns the best explanation for this exit code; null if no line explains it. */
    choose(exitCode: number | null): Candidate | null {
      const found = best ?? earlier;
      const meaning = reasonOfExitCode(exitCode);
      if (meaning === undefined) return found?.candidate ?? null;
      // The exit code itself says more than any line, unless nothing could work.
      const obstacle = found?.candidate.row.rank === rank.obstacle ? found.candidate : null;
      return meant.get(meaning) ?? obstacle;
    },
  };
}
