// Notices that something in a folder may have changed; what has changed, a scan finds out.
import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { errnoOf } from '../../shared/errno.js';
import { pause } from '../../shared/pause.js';
import { SelectionError } from './selection-error.js';

/** Programs write a file in several steps, and several files at a time: wait until nothing has changed for so long, ms. */
const QUIET_MS = 50;
/** A file may change all the time: wait no longer than this for a quiet moment, ms. */
const LONGEST_MS = 1_000;

export interface FolderWatch {
  /**
   * Watches the folders that hold these files, and no others. Folders that were not watched before count as changed, because
   * nobody knows what happened in them meanwhile.
   *
   * @param names of files, relative to the folder
   * @throws SelectionError when the system cannot watch so many folders
   */
  follow(names: Iterable<string>): void;
  /** Resolves when something has changed since the last call, and is quiet again. Rejects when the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** How the operating system is asked; tests replace it. */
export interface WatchOptions {
  clock: Clock;
  /** Linux watches single folders, macOS and Windows whole trees. */
  wholeTree?: boolean;
}

/** Watches a folder by its real, absolute path. */
export function watchFolder(
  dir: string,
  { clock, wholeTree = process.platform !== 'linux' }: WatchOptions,
): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let followed: ReadonlySet<string> = new Set();
  let changes = 0;
  let wake = () => {};

  const note = () => {
    changes += 1;
    wake();
  };
  /** A folder that was removed or replaced is watched anew with the next `follow`. */
  const drop = (folder: string) => {
    for (const [name, watcher] of watchers) {
      if (folder !== '' && name !== folder && !name.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(name);
    }
  };
  const add = (folder: string) => {
    let watcher: FSWatcher;
    try {
      watcher = watch(join(dir, folder), { recursive: wholeTree });
    } catch (error) {
      // It has gone since it was listed: its parent tells of that.
      if (errnoOf(error) === 'ENOENT' && folder !== '') return;
      throw cannotWatch(join(dir, folder), error);
    }
    watcher.on('error', () => {
      drop(folder);
      note();
    });
    watcher.on('change', (kind, name) => {
      const path = typeof name !== 'string' ? folder : wholeTree ? slashes(name) : join(folder, name);
      if (wholeTree && !followed.has(parentOf(path)) && !followed.has(path)) return;
      if (kind === 'rename' && !wholeTree && watchers.has(path)) drop(path);
      note();
    });
    watchers.set(folder, watcher);
  };

  return {
    follow(names) {
      const folders = foldersOf(names);
      const added = [...folders].filter((folder) => (wholeTree ? !followed.has(folder) : !watchers.has(folder)));
      followed = folders;
      if (wholeTree) {
        if (!watchers.has('')) add('');
      } else {
        for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder);
        for (const folder of added) add(folder);
      }
      if (added.length > 0) note();
    },
    async changed(signal) {
      signal.throwIfAborted();
      if (changes === 0) {
        await new Promise<void>((resolve, reject) => {
          const stop = () => reject(signal.reason);
          signal.addEventListener('abort', stop, { once: true });
          wake = () => {
            signal.removeEventListener('abort', stop);
            resolve();
          };
        });
        wake = () => {};
      }
      const until = clock.monotonic() + LONGEST_MS;
      for (let seen = -1; seen !== changes && clock.monotonic() < until; ) {
        seen = changes;
        await pause(clock, QUIET_MS, signal);
      }
      changes = 0;
    },
    close: () => drop(''),
  };
}

/** The folders of these files and all above them, relative; '' is the folder itself. */
export function foldersOf(names: Iterable<string>): Set<string> {
  const folders = new Set(['']);
  for (const name of names) {
    for (let folder = parentOf(name); !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
  }
  return folders;
}

const slashes = (name: string) => name.replaceAll('\\', '/');

const parentOf = (path: string) => {
  const parent = dirname(path);
  return parent === '.' ? '' : parent;
};

const cannotWatch = (path: string, error: unknown) =>
  errnoOf(error) === 'ENOSPC'
    ? new SelectionError(`${path} cannot be watched: this system watches no more folders (fs.inotify.max_user_watches)`)
    : new SelectionError(`${path} cannot be watched: ${error instanceof Error ? error.message : error}`);
