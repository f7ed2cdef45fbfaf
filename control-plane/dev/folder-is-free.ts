// Waits for the control plane of an earlier `cidermill dev` that was killed: it ends by itself, but not at once.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { pause } from '../../shared/pause.js';
import { lockDataFolder } from '../data-folder.js';
import { FolderLockedError } from '../platform/store/folder-lock.js';

/** Longer than a control plane takes to stop. */
const PATIENCE_MS = 20_000;
const EVERY_MS = 50;

/**
 * Resolves when no control plane uses the folder. The caller holds the lock of `cidermill dev`, so that a control plane
 * with a supervisor can only be one whose supervisor has died.
 *
 * @throws StartError if a control plane of its own uses the folder, or one without its supervisor has not ended in 20 s
 */
export async function folderIsFree(data: string, lock: string, clock: Clock, log: Log): Promise<void> {
  const deadline = clock.monotonic() + PATIENCE_MS;
  for (let waits = 0; ; waits++) {
    try {
      lockDataFolder(data, lock).release();
      return;
    } catch (error) {
      const { cause } = error as Error;
      if (!(cause instanceof FolderLockedError) || clock.monotonic() > deadline) throw error;
      // For a moment the owner of a lock has not written who it is.
      if (!(cause.owner?.supervised ?? true)) throw error;
      if (waits === 0) log.warn({ pid: cause.owner?.pid ?? null }, 'waiting for an earlier control plane to end');
    }
    await pause(clock, EVERY_MS);
  }
}
