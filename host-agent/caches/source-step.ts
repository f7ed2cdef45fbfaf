// The input and the result of the source step of a build.

import type { CommitAbout } from '../../shared/build.js';
import type { Clock } from '../../shared/clock.js';
import type { Message } from '../../shared/messages/message.js';
import type { SourceLimits } from '../limits.js';

export interface SourceStep {
  /** The build's work folder. An earlier build may have put anything into it; links in it are never followed. */
  workDir: string;
  /** The service's state about that work folder; per Mac, and never inside the work folder. */
  stateDir: string;
  /** Contents and repository mirrors of one account on this host, never shared; its Macs use it concurrently. */
  cacheDir: string;
  /** Writes a line to the build's log; given without `[cidermill] ` and without line end. */
  say(line: string): void;
  /** Writes a warning to the log and to the build. Repeated warnings are ignored. */
  warn(warning: Message): void;
  signal: AbortSignal;
  limits: Readonly<SourceLimits>;
  clock: Clock;
}

export interface SourceResult {
  /** The checked out commit, 40 hex digits; null for an upload. */
  commit: string | null;
  /** Not masked; null for an upload, and when git cannot read it. */
  about: CommitAbout | null;
  /** Number of files and links that were written, restored, or got another mode. */
  changed: number;
  removed: number;
  /** Number of bytes written to the work folder. */
  bytes: number;
}
