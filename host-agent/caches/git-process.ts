// Runs one git command: without the configuration of the host or the repository, without prompts and hooks, with only
// the allowed transports and bounded output. Stopping the build kills it.

import { spawn } from 'node:child_process';
import type { Clock } from '../../shared/clock.js';
import { isErrno } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { SourceLimits } from '../limits.js';
import { killGroup } from '../system/kill-group.js';
import type { GitSettings } from './git-credentials.js';
import { forgetGit, noteGit } from './git-orphan.js';

const KEPT_ERRORS = 16 * 1024;
const LONGEST_OUTPUT = 256 * 1024 * 1024;
const KILL_AFTER_MS = 3000;

export interface GitContext {
  /** Additional environment: PATH, proxies, a certificate authority. */
  env: Readonly<Record<string, string>>;
  /** Allowed transports besides https. */
  protocols: readonly string[];
  signal: AbortSignal;
  clock: Clock;
  limits: Readonly<SourceLimits>;
}

export interface GitOptions {
  cwd: string;
  env?: Readonly<Record<string, string>>;
  /** For commands that contact the code host. */
  settings?: GitSettings;
  /** For commands that write to a work folder: the file that records the process while it runs. */
  note?: string;
  /** Called for every line on standard error, including progress lines that overwrite each other. */
  onLine?(line: string): void;
}

export interface GitResult {
  code: number;
  stdout: Buffer;
  /** The last 16 KiB. */
  stderr: string;
}

/** A git command that exited with an unexpected code. */
export class GitError extends Error {
  readonly stderr: string;
  /** False for a command that contacts the code host. */
  readonly local: boolean;
  constructor(command: string, stderr: string, options: { local: boolean }) {
    super(`git ${command} failed`);
    this.name = 'GitError';
    this.stderr = stderr;
    this.local = options.local;
  }
}

/** Runs a command and returns its exit code. Rejects with the signal's reason when the build is stopped. */
export function runGit(context: GitContext, args: readonly string[], options: GitOptions): Promise<GitResult> {
  const { signal, clock } = context;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // In a new session, so that the helpers and shells that git starts are killed with it.
    const child = spawn('git', args, {
      cwd: options.cwd,
      env: environment(context, options),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const end = (name: NodeJS.Signals) => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid, name);
    };
    const { note } = options;
    if (note !== undefined && child.pid !== undefined) noteGit(note, child.pid);
    let tooMuch = false;
    const stdout: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (data: Buffer) => {
      length += data.length;
      tooMuch ||= length > LONGEST_OUTPUT;
      if (tooMuch) end('SIGKILL');
      else stdout.push(data);
    });
    let stderr = '';
    let line = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-KEPT_ERRORS);
      if (!options.onLine) return;
      const lines = (line + text).split(/[\r\n]/);
      line = lines.pop()?.slice(-KEPT_ERRORS) ?? '';
      for (const whole of lines) options.onLine(whole);
    });

    const stop = () => {
      end('SIGTERM');
      const timer = clock.setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
      child.once('close', () => timer.cancel());
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(isErrno(error, 'ENOENT') ? gitMissing(error) : error);
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      if (note !== undefined) forgetGit(note);
      if (signal.aborted) reject(signal.reason);
      else if (tooMuch) reject(new GitError(args[0] ?? '', 'fatal: the answer is too long', { local: false }));
      else resolve({ code: code ?? 128, stdout: Buffer.concat(stdout), stderr });
    });
  });
}

/** Runs a command and returns its standard output. Throws a GitError when it fails. */
export async function git(context: GitContext, args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(context, args, options);
  if (code !== 0) {
    throw new GitError(args[0] ?? '', stderr, { local: options.settings === undefined });
  }
  return stdout;
}

function environment(context: GitContext, options: GitOptions): Record<string, string> {
  const { limits } = context;
  const config: (readonly [string, string])[] = [
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.untrackedCache', 'false'],
    ['core.attributesFile', '/dev/null'],
    ['core.excludesFile', '/dev/null'],
    ['core.protectHFS', 'true'],
    ['core.protectNTFS', 'true'],
    ['safe.directory', '*'],
    ['submodule.recurse', 'false'],
    ['fetch.recurseSubmodules', 'false'],
    // Fetched objects stay packed, because packs are copied to the .git of the work folder.
    ['fetch.unpackLimit', '1'],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    ['repack.writeBitmaps', 'false'],
    ['http.followRedirects', 'initial'],
    ['http.lowSpeedLimit', String(limits.gitSlowBytesPerSecond)],
    ['http.lowSpeedTime', String(limits.gitSlowSeconds)],
    ...(process.platform === 'darwin'
      ? ([
          ['core.ignoreCase', 'true'],
          ['core.precomposeUnicode', 'true'],
        ] as const)
      : []),
    ...(options.settings?.config ?? []),
  ];
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    ...context.env,
    HOME: '/var/empty',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_SSH_COMMAND: 'false',
    GIT_ALLOW_PROTOCOL: ['https', ...context.protocols].join(':'),
    GIT_PROTOCOL_FROM_USER: '0',
    ...options.env,
    ...options.settings?.env,
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([name, value], n) => [
        [`GIT_CONFIG_KEY_${n}`, name],
        [`GIT_CONFIG_VALUE_${n}`, value],
      ]),
    ),
  };
}

function gitMissing(cause: Error): BuildStepError {
  const message = hostFailure('git_missing');
  return new BuildStepError('source', 'workspace_failed', 'platform', message, { cause });
}
