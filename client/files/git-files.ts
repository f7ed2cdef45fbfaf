// Lists a folder's files with git itself.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnvironment } from './git.js';

/** git could not list the folder; the message is git's own. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  /** True if git is not installed. */
  readonly absent: boolean;
  constructor(message: string, absent: boolean) {
    super(message);
    this.absent = absent;
  }
}

/** Names relative to the folder, as on disk; `undecodable` ones are not UTF-8 and cannot be sent. */
export interface GitNames {
  names: string[];
  undecodable: string[];
}

/**
 * Tracked and untracked files below `dir` that git does not ignore. Nested repositories and submodules
 * appear as the one name of their folder, some with a trailing slash.
 *
 * git writes to a file instead of a pipe, so that it never waits for this process, which is scanning
 * files at the same time.
 *
 * @param everything lists ignored files too (and no tracked ones)
 * @throws GitFailed
 */
export function gitFiles(dir: string, env: NodeJS.ProcessEnv, everything = false): Promise<GitNames> {
  return listNames(dir, env, everything ? ['--others'] : ['--cached', '--others', '--exclude-standard']);
}

/** Files below `dir` that git tracks, those of submodules included; null when git cannot say. */
export async function trackedFiles(dir: string, env: NodeJS.ProcessEnv): Promise<string[] | null> {
  try {
    return (await listNames(dir, env, ['--cached', '--recurse-submodules'])).names;
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

function listNames(dir: string, env: NodeJS.ProcessEnv, what: readonly string[]): Promise<GitNames> {
  const file = join(tmpdir(), `cidermill-files-${process.pid}-${randomBytes(6).toString('hex')}`);
  const fd = openSync(file, 'wx+', 0o600);
  unlinkSync(file);
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'core.fsmonitor=false', 'ls-files', '-z', ...what], {
      cwd: dir,
      env: gitEnvironment(env),
      stdio: ['ignore', fd, 'pipe'],
    });
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    let settled = false;
    child.on('error', (error) => {
      if (settled) return;
      settled = true;
      closeSync(fd);
      reject(new GitFailed(error.message, true));
    });
    child.on('close', (code) => {
      if (settled) return; // It never started.
      settled = true;
      const listed = code === 0 ? readAll(fd) : null;
      closeSync(fd);
      if (listed) resolve(splitNames(listed));
      else reject(new GitFailed(complaint.trim() || `git ended with ${code}`, false));
    });
  });
}

function readAll(fd: number): Buffer {
  const bytes = Buffer.allocUnsafe(fstatSync(fd).size);
  let read = 0;
  while (read < bytes.length) {
    const got = readSync(fd, bytes, read, bytes.length - read, read);
    if (got === 0) break;
    read += got;
  }
  return bytes.subarray(0, read);
}

function splitNames(listed: Buffer): GitNames {
  const text = listed.toString('utf8');
  const names = text.split('\0');
  names.pop();
  const undecodable: string[] = [];
  // A conflict lists each of its sides.
  const once = names.filter((name, at) => name !== names[at - 1]);
  if (!text.includes('\ufffd')) return { names: once, undecodable };
  const decodable = once.filter((name) => {
    const decoded = !name.includes('\ufffd') || listed.includes(`${name}\0`);
    if (!decoded) undecodable.push(name);
    return decoded;
  });
  return { names: decodable, undecodable };
}
