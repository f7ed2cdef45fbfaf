// Builds of the local driver run as the agent's user. They are not told where their attempt's folder is, but can find it
// and write to it. A build process detects that a file it shares with the daemon was removed, replaced or added, and
// restores the folder when the build ends.

import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../shared/errno.js';
import { hostFailure } from '../../shared/messages/host-failures.js';
import type { AttemptFiles } from '../contract/attempt-folder.js';
import { repairAttemptFolder } from '../contract/attempt-repair.js';
import { BuildStepError } from '../contract/build-step-error.js';
import type { Spool } from './spool.js';

export type AttemptGuard = ReturnType<typeof guardAttempt>;

/**
 * Creates a guard of the attempt's folder as it is now.
 *
 * @param rewrite writes spec and state again
 */
export function guardAttempt(files: AttemptFiles, spool: Spool, rewrite: () => void) {
  const parent = path.dirname(files.folder);
  const parents = [path.dirname(parent), parent, files.folder];
  const watched = [...parents, files.spec, files.state, files.control].map((file) => ({
    file,
    before: lstatSync(file),
  }));

  const { spec, state, control, spool: log, reserve, incoming, kept } = files;
  const known = new Set([spec, state, control, log, reserve, incoming, kept].map((file) => path.basename(file)));

  const damaged = (): string | null => {
    try {
      for (const { file, before } of watched) {
        if (!isSame(before, lstatSync(file, { throwIfNoEntry: false }))) return path.basename(file);
      }
      if (!spool.isAt(files.spool)) return path.basename(files.spool);
      // Only this process adds files. It has not written a result yet.
      return readdirSync(files.folder).find((name) => !known.has(name)) ?? null;
    } catch (error) {
      // The folder has no permissions, or a file is in its place.
      return errnoOf(error) ?? 'unreadable';
    }
  };

  return {
    /** Throws a BuildStepError (build_folder_changed) naming what was removed or changed. */
    check() {
      const what = damaged();
      if (what !== null)
        throw new BuildStepError(
          'platform',
          'build_folder_changed',
          'platform',
          hostFailure('build_folder_changed', { file: what }),
        );
    },
    /**
     * Closes the log, and repairs the folder so that the result can be written. `lost`: the log could not be restored,
     * and its file is empty.
     */
    async close() {
      if (damaged() === null) return spool.close();
      await repairAttemptFolder(files);
      rewrite();
      const whole = spool.isAt(files.spool) || (await restore(files, spool));
      const written = spool.close();
      return whole ? written : { ...written, lost: true };
    },
  };
}

/** Returns false when the log cannot be restored; the result then says that it is lost. */
async function restore(files: AttemptFiles, spool: Spool): Promise<boolean> {
  try {
    await repairAttemptFolder(files, files.spool);
    return spool.copyTo(files.spool);
  } catch {
    // Whatever the build did to the folder, the result says that the log is lost.
    return false;
  }
}

function isSame(before: Stats, now: Stats | undefined): boolean {
  if (!now || now.ino !== before.ino || now.dev !== before.dev || now.mode !== before.mode) return false;
  // A build can set mtime, but not ctime.
  return before.isFile() ? now.size === before.size && now.ctimeMs === before.ctimeMs : true;
}
