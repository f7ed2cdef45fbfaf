// A lock between processes of this host: a folder with one file, named after the holder. Acquiring it is one rename,
// which fails while the folder holds a file. Breaking the lock of a dead holder deletes exactly that holder's file,
// so two processes that do so at once cannot break each other's new lock.
import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock, Timer } from '../../shared/clock.js';
import { isErrno, unless } from '../../shared/errno.js';
import { pause } from '../../shared/pause.js';

const CHECK_AGAIN_MS = 100;
const RENEWALS_PER_STALE_TIME = 6;

export interface LockOptions {
  clock: Clock;
  signal: AbortSignal;
  /** A holder that has not renewed the lock for this long counts as dead, even if its process id is in use. */
  staleMs: number;
  /** Called once when the lock is held by another process. */
  onWait?(): void;
}

/** Runs `fn` while holding the lock at `path`. Waits while another process holds it. */
export async function withLock<T>(path: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  const name = holderName();
  const staged = stage(path, name);
  try {
    for (let waited = false; !take(staged, path, options); waited = true) {
      if (!waited) options.onWait?.();
      await pause(options.clock, CHECK_AGAIN_MS, options.signal);
    }
  } catch (error) {
    rmSync(staged, { recursive: true, force: true });
    throw error;
  }
  return hold(join(path, name), path, options, fn);
}

/** Runs `fn` if the lock is free. Otherwise returns undefined at once. */
export async function ifUnlocked<T>(path: string, options: LockOptions, fn: () => Promise<T>): Promise<T | undefined> {
  const name = holderName();
  const staged = stage(path, name);
  if (take(staged, path, options)) return hold(join(path, name), path, options, fn);
  rmSync(staged, { recursive: true, force: true });
  return undefined;
}

async function hold<T>(holder: string, path: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  const { clock, staleMs } = options;
  let timer: Timer;
  const renew = () => {
    // The file is missing only if this process was suspended so long that another one took the lock.
    unless(['ENOENT'], () => utimesSync(holder, clock.now() / 1000, clock.now() / 1000));
    timer = clock.setTimeout(renew, staleMs / RENEWALS_PER_STALE_TIME);
  };
  timer = clock.setTimeout(renew, staleMs / RENEWALS_PER_STALE_TIME);
  try {
    return await fn();
  } finally {
    timer.cancel();
    unless(['ENOENT'], () => unlinkSync(holder));
    unless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(path));
  }
}

function holderName(): string {
  return `${process.pid}-${randomUUID()}`;
}

function stage(path: string, name: string): string {
  const staged = `${path}-${name}`;
  mkdirSync(staged);
  writeFileSync(join(staged, name), '');
  return staged;
}

function take(staged: string, path: string, options: LockOptions): boolean {
  breakDead(path, options);
  const taken = unless(['ENOTEMPTY', 'EEXIST'], () => {
    renameSync(staged, path);
    return true;
  });
  return taken === true;
}

function breakDead(path: string, { clock, staleMs }: LockOptions): void {
  for (const name of unless(['ENOENT'], () => readdirSync(path)) ?? []) {
    const holder = join(path, name);
    const found = lstatSync(holder, { throwIfNoEntry: false });
    if (!found) continue;
    const silent = clock.now() - found.mtimeMs > staleMs && hasMissedRenewals(holder, found.mtimeMs, clock, staleMs);
    if (!silent && isAlive(Number.parseInt(name, 10))) continue;
    unrenewed.delete(holder);
    unless(['ENOENT'], () => unlinkSync(holder));
  }
}

/** Holders that seem to be dead by the time of day, with when this process first saw so (monotonic). */
const unrenewed = new Map<string, { mtimeMs: number; since: number }>();
const MOST_UNRENEWED = 1_000;

/** A step of the clock makes every live holder look silent, until it renews its lock. */
function hasMissedRenewals(holder: string, mtimeMs: number, clock: Clock, staleMs: number): boolean {
  const seen = unrenewed.get(holder);
  if (seen?.mtimeMs === mtimeMs) return clock.monotonic() - seen.since > (2 * staleMs) / RENEWALS_PER_STALE_TIME;
  if (unrenewed.size >= MOST_UNRENEWED) unrenewed.clear();
  unrenewed.set(holder, { mtimeMs, since: clock.monotonic() });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}
