// What every part of the source step is given, and what the step comes to.
import type { Clock } from '../../shared/clock.js';
import type { SourceLimits } from '../limits.js';

export interface SourceStep {
  /** The build's work folder. Everything in it may have been planted by an earlier build. */
  workDir: string;
  /** What the service remembers of that work folder; of one Mac, and never inside the work folder. */
  stateDir: string;
  /** Contents and repository mirrors of one account on this host. */
  cacheDir: string;
  /** Tells the person who follows the build; without `[cidermill] ` and without line end. */
  say(line: string): void;
  /** The same as a warning on the build; said once, however often it is given. */
  warn(line: string): void;
  signal: AbortSignal;
  limits: Readonly<SourceLimits>;
  clock: Clock;
}

export interface SourceResult {
  /** The commit that was checked out, 40 hex digits; null for an upload. */
  commit: string | null;
  /** Files and links that were written, restored, or given another mode. */
  changed: number;
  removed: number;
  /** Bytes of content written into the work folder. */
  bytes: number;
}
