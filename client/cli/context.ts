// What a command line gets from the process that it runs in.
import type { Clock } from '../../shared/clock.js';

/** Standard input. */
export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
}

/** Standard output or standard error. */
export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * The streams, environment, working directory, signals and exit code of a command line. `process` is one. Commands
 * use nothing else of it, so that several can run in one process.
 */
export interface CliContext {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Exit code of a command that ends without an error; 0 while it is not set. */
  exitCode?: number | string | null | undefined;
  /** Relative paths are relative to it. */
  cwd(): string;
  /** Ends the process at once. */
  exit(code: number): never;
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  once(event: 'uncaughtException', listener: (error: Error) => void): unknown;
}
