// Runs the command-line tools of macOS (launchctl, dscl, sysadminctl, pmset, …).
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isErrno } from '../../shared/errno.js';

export interface ToolResult {
  /** The tool's exit code; `MISSING` when there is no such tool, `TIMED_OUT` when it was killed after its time. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Exit codes of shells and of timeout(1). */
export const MISSING = 127;
export const TIMED_OUT = 124;

export interface ToolOptions {
  /** Default: 30 s. */
  readonly timeoutMs?: number;
  /** What the tool reads on standard input; default: nothing. */
  readonly input?: string;
  /** Kills the tool. */
  readonly signal?: AbortSignal | undefined;
}

/** @param file absolute path on macOS: `/bin/launchctl` */
export type RunTool = (file: string, args: readonly string[], options?: ToolOptions) => Promise<ToolResult>;

const TIMEOUT_MS = 30_000;
const MOST_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Folder below which the tools are found; empty on a real Mac. Tests set it, to put stand-ins there. */
export const toolsRoot = (): string => process.env.CIDERMILL_TOOLS_DIR ?? '';

/**
 * Returns a runner for the tools below `root`. It never rejects: a tool that is missing, does not end or cannot be
 * started has an exit code too.
 *
 * @example
 * const run = toolsBelow('');
 * const { code, stdout } = await run('/usr/bin/dscl', ['.', '-read', '/Users/cidermill', 'UniqueID']);
 */
export function toolsBelow(root: string): RunTool {
  return (file, args, { timeoutMs = TIMEOUT_MS, input = '', signal } = {}) =>
    new Promise((resolve) => {
      // Output in English, and nothing of the caller's environment but what tools need.
      const { HOME, USER } = process.env;
      const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', HOME, USER };
      const options = {
        env,
        signal,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: MOST_OUTPUT_BYTES,
      } as const;
      const child = execFile(root + file, args, options, (error, stdout, stderr) => {
        if (error === null) return resolve({ code: 0, stdout, stderr });
        if (isErrno(error, 'ENOENT')) return resolve({ code: MISSING, stdout, stderr: `${file} was not found` });
        if (error.killed)
          return resolve({ code: TIMED_OUT, stdout, stderr: `${file} did not end in ${timeoutMs / 1000} s` });
        const code = typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr: stderr === '' ? error.message : stderr });
      });
      // A tool that reads nothing closes its input, which is no error of the call.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
}

/** Runs a tool of this machine. */
export const runTool: RunTool = (file, args, options) => toolsBelow(toolsRoot())(file, args, options);

/** Returns whether this machine has launchd (macOS, or a test with stand-ins). */
export const hasLaunchd = (root = toolsRoot()): boolean => existsSync(`${root}/bin/launchctl`);
