// The folders of all attempts on this host.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { isErrno, unless } from '../../shared/errno.js';
import { pause } from '../../shared/pause.js';
import { type BuildSpec, buildSpec } from '../../shared/protocol/index.js';
import {
  type AttemptFiles,
  type AttemptRef,
  attemptFiles,
  attemptName,
  parseAttemptName,
} from '../contract/attempt-folder.js';
import { type AttemptEnd, readSignedResult } from '../contract/signed-result.js';
import { attemptState, parseUnfinishedName } from '../contract/takeover.js';
import { removeTree } from '../system/remove-tree.js';
import { buildsRoot, openHiddenFolders } from './hidden-folder.js';

const CHECK_AGAIN_MS = 20;

export interface FoundAttempt {
  ref: AttemptRef;
  spec: BuildSpec;
  /** Boot id of the machine when the build was started. */
  boot: string;
  /** Verifies the result. Null for a build that an older version started. */
  resultKey: string | null;
}

export interface BuildsFolder {
  /** The folder in which new attempts are created. */
  readonly folder: string;
  filesOf(ref: AttemptRef): AttemptFiles;
  /** Returns the attempts that a process owns. Incomplete ones are deleted. */
  attempts(): Promise<FoundAttempt[]>;
  /** Returns null if there is no result with a valid signature. */
  endOf(ref: AttemptRef, key: string | null): AttemptEnd | null;
  /** Returns the key that verifies the attempt's result, or null when it is not known. */
  resultKeyOf(ref: AttemptRef): string | null;
  /** Returns the id of the process that owns the attempt, or null when it is not known. */
  processOf(ref: AttemptRef): number | null;
  /** Reads the log from `offset` into `into`; returns the number of bytes read, 0 at its end. */
  readLog(ref: AttemptRef, offset: number, into: Buffer): Promise<number>;
  /** Deletes the attempt so that it is never found in part. */
  remove(ref: AttemptRef): Promise<void>;
}

/** Opens the folder, creating it if needed. */
export function openBuildsFolder(dataDir: string, options: { clock: Clock; unfinishedMs: number }): BuildsFolder {
  const root = buildsRoot(dataDir);
  const [folder, ...others] = openHiddenFolders(dataDir);
  /** Paths of the attempts outside `folder`, by name. Older versions created them in the root. */
  const elsewhere = new Map<string, string>();
  const filesOf = (ref: AttemptRef) => {
    const name = attemptName(ref);
    return attemptFiles(elsewhere.get(name) ?? path.join(folder, name));
  };

  const stateOf = (ref: AttemptRef) => attemptState.safeParse(readRegularJson(filesOf(ref).state)).data;

  /**
   * Waits for a process that is creating the folder; deletes the folder of a process that has died, or of a deletion.
   */
  const settleUnfinished = async (parent: string, name: string) => {
    const unfinished = path.join(parent, name);
    const pid = parseUnfinishedName(name);
    const { clock, unfinishedMs } = options;
    let changedMs: number | null = null;
    let until = Number.NEGATIVE_INFINITY;
    for (let waiting = pid !== null; waiting; ) {
      const found = await stat(unfinished).catch((error: unknown) => {
        if (isErrno(error, 'ENOENT')) return null;
        throw error;
      });
      if (found !== null && found.mtimeMs !== changedMs) {
        // A clock that was set back since makes the folder one of the future.
        const ageMs = changedMs === null ? Math.max(0, clock.now() - found.mtimeMs) : 0;
        until = clock.monotonic() + unfinishedMs - ageMs;
        changedMs = found.mtimeMs;
      }
      // The process id may have been reused since.
      waiting = found !== null && clock.monotonic() < until && isAlive(pid ?? 0);
      if (waiting) await pause(clock, CHECK_AGAIN_MS);
    }
    await removeTree(unfinished);
  };

  const find = async (ref: AttemptRef): Promise<FoundAttempt | null> => {
    const files = filesOf(ref);
    const spec = buildSpec.safeParse(readRegularJson(files.spec));
    const state = attemptState.safeParse(readRegularJson(files.state));
    const named = spec.success && attemptName(spec.data) === attemptName(ref);
    if (named && state.success && lstatSync(files.folder).isDirectory()) {
      const { boot, result_key = null } = state.data;
      return { ref, spec: spec.data, boot, resultKey: result_key };
    }
    // Power failed before the takeover was on disk, so it was never confirmed.
    await removeTree(files.folder);
    return null;
  };

  return {
    folder,
    filesOf,
    async attempts() {
      const found: FoundAttempt[] = [];
      for (const parent of [folder, ...others, root]) {
        const unfinished = (await readdir(parent)).filter((name) => name.startsWith('.'));
        await Promise.all(unfinished.map((name) => settleUnfinished(parent, name)));
        for (const name of await readdir(parent)) {
          const ref = parseAttemptName(name);
          if (ref && parent !== folder) elsewhere.set(name, path.join(parent, name));
          const attempt = ref && (await find(ref));
          if (attempt) found.push(attempt);
        }
      }
      return found;
    },
    resultKeyOf: (ref) => stateOf(ref)?.result_key ?? null,
    processOf(ref) {
      const pid = stateOf(ref)?.pid ?? null;
      // Signals to smaller process ids have other meanings.
      return pid !== null && pid > 1 ? pid : null;
    },
    endOf: (ref, key) => readSignedResult(readRegularJson(filesOf(ref).result), key),
    // Synchronous: the bytes were usually written a moment ago, and four asynchronous calls cost more than reading
    // them.
    async readLog(ref, offset, into) {
      const fd = openRegular(filesOf(ref).spool);
      if (fd === null) return 0;
      try {
        return readSync(fd, into, 0, into.length, offset);
      } finally {
        closeSync(fd);
      }
    },
    async remove(ref) {
      const present = filesOf(ref).folder;
      const aside = path.join(path.dirname(present), `.gone-${attemptName(ref)}`);
      await removeTree(aside);
      await rename(present, aside).catch((error: unknown) => {
        if (!isErrno(error, 'ENOENT')) throw error;
      });
      await removeTree(aside);
    },
  };
}

/** A script and its spec take at most half of this. */
const LONGEST_FILE = 64 * 1024 * 1024;
const NOT_THERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EACCES', 'ENXIO'];

/**
 * Opens a regular file for reading; returns null when there is none. A build may have put something else in its
 * place: opening a pipe would block, and a link points elsewhere.
 */
function openRegular(file: string): number | null {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = unless(NOT_THERE, () => openSync(file, flags));
  if (fd === undefined) return null;
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return null;
}

/** Returns the parsed JSON of a regular file, or undefined. */
function readRegularJson(file: string): unknown {
  const fd = openRegular(file);
  if (fd === null) return undefined;
  try {
    const { size } = fstatSync(fd);
    if (size > LONGEST_FILE) return undefined;
    const bytes = Buffer.alloc(size);
    return JSON.parse(bytes.toString('utf8', 0, readSync(fd, bytes, 0, size, 0)));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
}
