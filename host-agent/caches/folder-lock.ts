// A lock between processes of this host: a folder that holds one file, named after its holder. Taking it is one
// rename (which fails while the folder holds a file); breaking a dead holder's lock is removing exactly that
// holder's file, so that two who find it dead at once cannot break each other's fresh lock.
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
import { errnoOf, unless } from '../system/errno.js';
import { pause } from './retry.js';

const LOOK_AGAIN_MS = 100;
const SIGNS_OF_LIFE = 6;

export interface LockOptions {
  clock: Clock;
  signal: AbortSignal;
  /** A holder that has given no sign of life for this long is dead, even if its process id is in use. */
  staleMs: number;
  /** Called once when the lock is another's. */
  onWait?(): void;
}

/** Runs `fn` while holding the lock at `path`; waits for it as long as its holder lives. */
export async function withLock<T>(path: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  const name = ownName();
  const staged = stage(path, name);
  try {
    for (let waited = false; !take(staged, path, options); waited = true) {
      if (!waited) options.onWait?.();
      await pause(options.clock, LOOK_AGAIN_MS, options.signal);
    }
  } catch (error) {
    rmSync(staged, { recursive: true, force: true });
    throw error;
  }
  return hold(join(path, name), path, options, fn);
}

/** Runs `fn` if the lock is free, else returns undefined at once. */
export async function ifUnlocked<T>(
  path: string,
  options: LockOptions,
  fn: () => Promise<T>,
): Promise<T | undefined> {
  const name = ownName();
  const staged = stage(path, name);
  if (take(staged, path, options)) return hold(join(path, name), path, options, fn);
  rmSync(staged, { recursive: true, force: true });
  return undefined;
}

async function hold<T>(own: string, path: string, options: LockOptions, fn: () => Promise<T>): Promise<T> {
  const { clock, staleMs } = options;
  let timer: Timer;
  const live = () => {
    // Gone only if this process was stopped for so long that another took the lock.
    unless(['ENOENT'], () => utimesSync(own, clock.now() / 1000, clock.now() / 1000));
    timer = clock.setTimeout(live, staleMs / SIGNS_OF_LIFE);
  };
  timer = clock.setTimeout(live, staleMs / SIGNS_OF_LIFE);
  try {
    return await fn();
  } finally {
    timer.cancel();
    unless(['ENOENT'], () => unlinkSync(own));
    unless(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(path));
  }
}

function ownName(): string {
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
    const silent = clock.now() - found.mtimeMs > staleMs;
    if (silent || !isAlive(Number.parseInt(name, 10))) unless(['ENOENT'], () => unlinkSync(holder));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
