// The lines of one log that may say why the build failed: holds the best of them.
import type { Candidate } from './failure-finding.js';
import { isOfExitCode, type ReasonCode, reasonOfExitCode } from './failure-reasons.js';
import { type FailureRow, rank } from './failure-row.js';
import { isForeign } from './log-path.js';

/**
 * From this rank on, lines that are so many lines apart come from different commands of the script, and the later
 * command is the one that ended it: what an earlier one complained of was tolerated.
 */
const BY_COMMAND = 2 * rank.command;
const APART = 50;

interface Best {
  readonly candidate: Candidate;
  /** The lower, the nearer to the cause. */
  readonly key: number;
  /** The last line of the same key, not far from the one before it. */
  lastLine: number;
}

export interface CauseCandidates {
  /** The best since the last success of a tool. */
  best(): Candidate | null;
  /** Whether a line of this rank, or of the half rank between two, could still make a difference. */
  matters(possible: number): boolean;
  /** Whether a line that fits the row can become the best, or is meant by an exit code. */
  wants(row: FailureRow, line: number): boolean;
  /** Returns whether the candidate is now the best. */
  offer(candidate: Candidate): boolean;
  /** A tool succeeded: what came before counts only when nothing comes after. */
  setAside(): void;
  /** What says best why the attempt ended with this exit code; null when no line does. */
  choose(exitCode: number | null): Candidate | null;
}

export function createCauseCandidates(): CauseCandidates {
  let best: Best | null = null;
  let earlier: Best | null = null;
  const meant = new Map<ReasonCode, Candidate>();

  return {
    best: () => best?.candidate ?? null,
    matters(possible) {
      const key = 2 * possible;
      return best === null || key < best.key || (key === best.key && key >= BY_COMMAND);
    },
    wants(row, line) {
      const key = 2 * row.rank;
      if (best === null || key < best.key || isOfExitCode(row.reason)) return true;
      const goesOn = line - best.lastLine <= APART;
      if (key === best.key && goesOn) best.lastLine = line;
      return key === best.key && !goesOn;
    },
    offer(candidate) {
      const { row, found } = candidate;
      // Of two of the same rank the one in the build's own code is the cause.
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
    setAside() {
      if (best !== null && (earlier === null || best.key < earlier.key)) earlier = best;
      best = null;
    },
    choose(exitCode) {
      const found = best ?? earlier;
      const meaning = reasonOfExitCode(exitCode);
      if (meaning === undefined) return found?.candidate ?? null;
      // The exit code itself says more than any line, unless nothing could work.
      const obstacle = found?.candidate.row.rank === rank.obstacle ? found.candidate : null;
      return meant.get(meaning) ?? obstacle;
    },
  };
}
