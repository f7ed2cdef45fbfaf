// The options with which a build is run.
import type { CommitAbout } from '../../shared/build.js';
import type { Clock } from '../../shared/clock.js';
import type { Message } from '../../shared/messages/message.js';
import type { BuildSecret, BuildSpec, StepTime } from '../../shared/protocol/index.js';
import type { AttemptFiles } from '../contract/attempt-folder.js';
import type { BuildMac, BuildPaths } from '../driver/build-mac.js';
import type { BuildLimits } from '../limits.js';
import type { AttemptGuard } from './attempt-guard.js';
import type { BuildMask } from './build-mask.js';
import type { Halt } from './halt.js';
import type { Spool } from './spool.js';

/** Checks out the sources of a build into `paths.sources`. */
export type CheckOutSources = (request: {
  paths: BuildPaths;
  say: (line: string) => void;
  /** Logs a line and adds it to the build's warnings. */
  warn: (warning: Message) => void;
  /** Deletes work folders of other sources from the Mac; returns how many. */
  dropOthers: () => Promise<number>;
  signal: AbortSignal;
}) => Promise<{ commit: string | null; about?: CommitAbout | null }>;

export interface RunOptions {
  spec: BuildSpec;
  secrets: readonly BuildSecret[];
  files: AttemptFiles;
  mac: BuildMac;
  checkOutSources: CheckOutSources;
  mask: BuildMask;
  spool: Spool;
  guard: AttemptGuard;
  halt: Halt;
  limits: BuildLimits;
  clock: Clock;
  on: {
    step(entered: StepTime): void;
    /** The sources are checked out; null for an upload. */
    checkedOut(commit: string | null, about: CommitAbout | null): void;
    /** Raw output was read from the terminal. */
    output(): void;
    /** The spool may have grown. */
    spooled(): void;
    /** A line of the service, or a part of one, is about to be written to this byte range of the spool. */
    marked(from: number, to: number): void;
  };
}
