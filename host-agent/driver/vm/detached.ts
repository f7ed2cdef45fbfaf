// Starts the process of a virtual machine so that it outlives the agent. The agent does not wait for it: the tool reports
// whether it runs, and a file keeps what it prints.

import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../../shared/errno.js';
import { imageError } from '../../../shared/messages/image-errors.js';
import { VmToolError } from './tool.js';

const KEPT = 16 * 1024;

/**
 * Starts a command in a session of its own; its output replaces the file.
 *
 * @returns a function that tells whether it has exited
 * @throws VmToolError `missing`
 */
export async function startDetached(
  command: { file: string; args: readonly string[]; env: Readonly<Record<string, string>> },
  output: string,
): Promise<{ exited(): boolean }> {
  mkdirSync(path.dirname(output), { recursive: true, mode: 0o700 });
  const fd = openSync(output, 'w', 0o600);
  let exited = false;
  try {
    const child = spawn(command.file, command.args, {
      cwd: '/',
      env: command.env,
      stdio: ['ignore', fd, fd],
      detached: true,
    });
    child.once('exit', () => {
      exited = true;
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(
          isErrno(error, 'ENOENT', 'EACCES')
            ? new VmToolError('missing', imageError('cannot_be_run', { file: command.file, reason: error.message }))
            : error,
        );
      });
    });
    child.unref();
  } finally {
    closeSync(fd);
  }
  return { exited: () => exited };
}

/** Returns the end of what it has printed; empty when there is no such file. */
export function detachedOutput(file: string): string {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
  try {
    const into = Buffer.alloc(KEPT);
    const from = Math.max(0, fstatSync(fd).size - KEPT);
    return into.subarray(0, readSync(fd, into, 0, KEPT, from)).toString('utf8');
  } finally {
    closeSync(fd);
  }
}
