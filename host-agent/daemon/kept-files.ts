// The few files without which the next agent could not serve. Builds of the local driver run as the agent's user and can
// delete its data folder; what was in memory is then written again.
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Timer } from '../../shared/clock.js';
import { writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import type { Log } from '../../shared/log.js';

export interface KeptFiles {
  /** Reads the files again; to be called when one has been changed on purpose. */
  refresh(): void;
  stop(): void;
}

/**
 * Checks every `everyMs` that the files exist, and writes those that were deleted again.
 *
 * @param deps.files absolute paths; a file that does not exist yet is ignored
 * @param deps.onRestored called after files were written again: the rest of the folder may have gone too
 */
export function keepFiles(deps: {
  files: readonly string[];
  onRestored: () => void;
  everyMs: () => number;
  clock: Clock;
  log: Log;
}): KeptFiles {
  const { files, onRestored, everyMs, clock, log } = deps;
  const contents = new Map<string, Buffer>();
  let timer: Timer;

  const refresh = () => {
    for (const file of files) {
      const content = unless(['ENOENT', 'ENOTDIR'], () => readFileSync(file));
      if (content) contents.set(file, content);
    }
  };
  const restore = () => {
    const gone = [...contents].filter(([file]) => !lstatSync(file, { throwIfNoEntry: false }));
    for (const [file, content] of gone) {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeDurably(file, content);
    }
    if (gone.length === 0) return;
    const names = gone.map(([file]) => file);
    log.error({ files: names }, 'files of the data folder were deleted while the agent ran; written again');
    onRestored();
  };
  const look = () => {
    try {
      restore();
    } catch (error) {
      log.error({ err: error }, 'files of the data folder were deleted, and cannot be written again');
    }
    timer = clock.setTimeout(look, everyMs());
  };

  refresh();
  timer = clock.setTimeout(look, everyMs());
  return { refresh, stop: () => timer.cancel() };
}
