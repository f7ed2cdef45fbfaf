// A lock between processes of this machine: a file that names its owner. A dead owner loses it. One daemon per data folder
// holds one, one upgrade at a time, and one change of a repository's mirror at a time.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import { isErrno } from '../../shared/errno.js';
import { pause } from '../../shared/pause.js';

export class LockedError extends Error {
  readonly pid: number;
  constructor(dataDir: string, pid: number, what = 'host agent') {
    super(`another ${what} (process ${pid}) is using ${dataDir}`);
    this.name = 'LockedError';
    this.pid = pid;
  }
}

export interface Lock {
  release(): void;
}

const owner = z.object({
  pid: z.int().min(1),
  /** Distinguishes this process from a later one with the same process id. */
  born: z.string(),
  /** Becomes part of a file name. Root takes a lock in a folder of another user, who could have written anything here. */
  nonce: z.string().regex(/^[0-9a-z]{1,32}$/),
});
type Owner = z.infer<typeof owner>;

export const lockPath = (dataDir: string): string => join(dataDir, 'agent.lock');

/**
 * Takes the lock of a data folder, or throws a LockedError.
 *
 * @param what who takes it, for the message to another one
 */
export function takeLock(dataDir: string, what?: string): Lock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const taken = tryLock(lockPath(dataDir));
  if (typeof taken === 'number') throw new LockedError(dataDir, taken, what);
  return taken;
}

export interface LockOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Called once when the lock is held by another one. */
  onWait?(): void;
}

const CHECK_AGAIN_MS = 100;

/** Runs `fn` while holding the lock. Waits while another one holds it, also one in this process. */
export async function withLock<T>(file: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  let lock = tryLock(file);
  if (typeof lock === 'number') options.onWait?.();
  while (typeof lock === 'number') {
    await pause(options.clock, CHECK_AGAIN_MS, options.signal);
    lock = tryLock(file);
  }
  return fn().finally(lock.release);
}

/** Runs `fn` if the lock is free. Otherwise returns undefined at once. */
export async function ifUnlocked<T>(file: string, fn: () => Promise<T>): Promise<T | undefined> {
  const lock = tryLock(file);
  return typeof lock === 'number' ? undefined : fn().finally(lock.release);
}

/**
 * Takes the lock, or returns the id of the process that holds it.
 *
 * Of several processes that find the lock of a dead owner, exactly one gets it: to replace a lock, a process first
 * creates a claim, a file named after the dead owner that only one can create. Holding the claim, it checks whether
 * the lock is still that owner's. The claim of a dead process is claimed in the same way.
 */
function tryLock(lockFile: string): Lock | number {
  ownBirth ??= birthOf(process.pid) ?? '';
  const me: Owner = { pid: process.pid, born: ownBirth, nonce: randomBytes(8).toString('hex') };
  const mine = `${lockFile}.new-${me.nonce}`;
  writeFileSync(mine, JSON.stringify(me), { mode: 0o600 });
  try {
    for (;;) {
      const holder = takeOver(mine, lockFile);
      if (holder === 'me') return { release: () => release(lockFile, me) };
      if (holder !== 'changed') return holder;
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

let ownBirth: string | null = null;

/** Returns the process that holds the lock now; null: none. */
export function lockHolder(dataDir: string): number | null {
  const holder = readOwner(lockPath(dataDir));
  return holder !== null && isAlive(holder) ? holder.pid : null;
}

/** Returns who holds the lock. `changed`: it has changed hands meanwhile; then try again. */
function takeOver(mine: string, lockFile: string): 'me' | 'changed' | number {
  const claimAfter = (nonce: string) => `${lockFile}.after-${nonce}`;
  if (linked(mine, lockFile)) return 'me';
  const dead: string[] = [];
  for (let file = lockFile; ; file = claimAfter(dead.at(-1)!)) {
    if (dead.length > 0 && linked(mine, file)) break;
    const holder = readOwner(file);
    if (holder === null) return 'changed';
    if (isAlive(holder)) return holder.pid;
    if (dead.includes(holder.nonce)) throw new Error(`${file} is damaged; remove it`);
    dead.push(holder.nonce);
  }
  const claim = claimAfter(dead.at(-1)!);
  const present = readOwner(lockFile);
  const stillDead = present !== null && dead.includes(present.nonce);
  if (stillDead) renameSync(mine, lockFile);
  for (const file of stillDead ? dead.map(claimAfter) : [claim]) rmSync(file, { force: true });
  return stillDead ? 'me' : 'changed';
}

/** Returns null when there is no such file. A file truncated by a power failure has a dead owner. */
function readOwner(file: string): Owner | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
  const damaged = { pid: 0, born: '', nonce: 'damaged' };
  try {
    return owner.safeParse(JSON.parse(text)).data ?? damaged;
  } catch {
    // Not JSON.
    return damaged;
  }
}

/** Returns false when `to` exists. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

function release(lockFile: string, me: Owner): void {
  const holder = readOwner(lockFile);
  if (holder?.nonce === me.nonce) unlinkSync(lockFile);
}

function isAlive({ pid, born }: Owner): boolean {
  if (pid === 0) return false;
  const birth = birthOf(pid);
  return birth !== null && birth === born;
}

/** Returns a value that no other process with this process id has since boot; null when there is no such process. */
function birthOf(pid: number): string | null {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') return null;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
      return `${boot} ${rest[18]}`;
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ESRCH')) return null;
      throw error;
    }
  }
  try {
    const text = execFileSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
    return text.trim() || null;
  } catch {
    // ps exits with 1 when there is no such process.
    return null;
  }
}
