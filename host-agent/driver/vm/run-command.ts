// Runs one command of a tool for virtual machines, with bounded output and time.

import { spawn } from 'node:child_process';
import type { Clock } from '../../../shared/clock.js';
import { isErrno } from '../../../shared/errno.js';
import { imageError } from '../../../shared/messages/image-errors.js';
import { killGroup } from '../../system/kill-group.js';
import { VmToolError } from './tool.js';

export interface CommandSettings {
  /** An executable, or a name that is looked up on the PATH of `env`. */
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export interface CommandOptions {
  /** The command is killed, and has failed as unresponsive, after this time; with `quiet`, after this time without output. */
  timeoutMs: number;
  quiet?: boolean;
  /** Called for every line of standard output. */
  onLine?(line: string): void;
  signal?: AbortSignal;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  /** The last 16 KiB. */
  readonly stderr: string;
}

const LONGEST_OUTPUT = 8 * 1024 * 1024;
const KEPT_ERRORS = 16 * 1024;
/** A process that the command has left behind may keep its pipes open. */
const PIPES_MS = 500;
/** A killed process may be held up by the kernel, e.g. by a disk that does not answer. */
const KILLED_MS = 2000;

/**
 * Resolves or rejects when the command has exited; one that was killed and cannot die is not waited for.
 *
 * @throws VmToolError `missing` or `unresponsive`; the signal's reason when it is aborted
 */
export function runCommand(
  { file, env, clock }: CommandSettings,
  args: readonly string[],
  { timeoutMs, quiet = false, onLine, signal }: CommandOptions,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const fail = (error: unknown) => {
      finish();
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return reject(error);
      const held = clock.setTimeout(() => reject(error), KILLED_MS);
      child.once('exit', () => {
        held.cancel();
        reject(error);
      });
      killGroup(child.pid, 'SIGKILL');
    };
    const late = () =>
      fail(
        new VmToolError(
          'unresponsive',
          imageError('command_too_slow', { command: commandText(file, args), seconds: timeoutMs / 1000 }),
        ),
      );
    let timer = clock.setTimeout(late, timeoutMs);
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const finish = () => {
      timer.cancel();
      signal?.removeEventListener('abort', abort);
      child.stdout.destroy();
      child.stderr.destroy();
    };

    let stdout = '';
    let stderr = '';
    let line = '';
    const heard = () => {
      if (!quiet) return;
      timer.cancel();
      timer = clock.setTimeout(late, timeoutMs);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard();
      stdout += text;
      if (stdout.length > LONGEST_OUTPUT) {
        return fail(new VmToolError('failed', `${commandText(file, args)} printed too much`));
      }
      if (!onLine) return;
      const lines = (line + text).split(/[\r\n]+/);
      line = lines.pop()?.slice(-KEPT_ERRORS) ?? '';
      for (const whole of lines) onLine(whole);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard();
      stderr = (stderr + text).slice(-KEPT_ERRORS);
    });
    child.once('error', (error) => {
      const missing = isErrno(error, 'ENOENT', 'EACCES');
      fail(missing ? new VmToolError('missing', imageError('cannot_be_run', { file, reason: error.message })) : error);
    });
    const end = (code: number | null, name: NodeJS.Signals | null) => {
      finish();
      resolve({ code: code ?? 128, stdout, stderr: name === null ? stderr : `${stderr}\nended by ${name}` });
    };
    child.once('close', end);
    child.once('exit', (code, name) => clock.setTimeout(() => end(code, name), PIPES_MS));
  });
}

/** @example commandText('/opt/homebrew/bin/tart', ['stop', 'cidermill-1']) // 'tart stop' */
const commandText = (file: string, [verb = '']: readonly string[]) => `${file.split('/').at(-1)} ${verb}`;
