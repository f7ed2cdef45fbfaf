// Keeps the files that the next agent needs to start. Builds of the local driver run as the agent's user and can delete its
// data folder; the files are then written again from memory.
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock, Timer } from '../../shared/clock.js';
import { writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import type { Log } from '../../shared/log.js';

export interface KeptFiles {
  /** Reads the files again. To be called after an intended change of one of them. */
  refresh(): void;
  stop(): void;
}

/**
 * Checks every `everyMs` that the files exist, and writes deleted ones again.
 *
 * @param deps.files absolute paths; a file that does not exist yet is ignored
 * @param deps.onRestored called after files were written again: the rest of the folder may be deleted too
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
    log.error(
      { files: names },
      'files of the data folder were deleted while the agent was running; they have been restored',
    );
    onRestored();
  };
  const look = () => {
    try {
      restore();
    } catch (error) {
      log.error({ err: error }, 'cannot restore deleted files of the data folder');
    }
    timer = clock.setTimeout(look, everyMs());
  };

  refresh();
  timer = clock.setTimeout(look, everyMs());
  return { refresh, stop: () => timer.cancel() };
}
