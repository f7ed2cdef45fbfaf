import { resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Log } from '../shared/log.js';

/** Editors write a file in several steps; it is read once it has not changed for this long. */
const STABLE_MS = 100;

/** Calls the handler of a file, by its absolute path, when the file changes. */
export function watchFiles(handlers: Readonly<Record<string, () => void>>, log: Log): FSWatcher {
  const watcher = watch(Object.keys(handlers), {
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: STABLE_MS, pollInterval: STABLE_MS / 4 },
  });
  watcher.on('all', (_event, path) => {
    try {
      handlers[resolve(path)]?.();
    } catch (error) {
      log.error({ err: error, path }, 'cannot apply a changed file');
    }
  });
  watcher.on('error', (error) => log.error({ err: error }, 'cannot watch the configuration'));
  return watcher;
}
