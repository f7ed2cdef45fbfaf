// Frees disk space when it runs low: deletes the least recently used work folders on Macs without a build, then the
// caches of accounts, which later builds fill again.
import path from 'node:path';
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import { trimContents } from '../caches/content-trim.js';
import { trimMirrors } from '../caches/git-mirror-trim.js';
import { freeDisk } from '../driver/free-disk.js';
import { accountCaches } from './macs/account-caches.js';
import type { MacReconciler, ReconcilerDriver } from './macs/mac-reconciler.js';

/**
 * Returns a function that frees disk space until `reserveBytes` are free, as far as that is possible. Calls made while
 * it runs share that run.
 */
export function createDiskRoom(deps: {
  dataDir: string;
  driver: ReconcilerDriver;
  macs: Pick<MacReconciler, 'whileIdle'>;
  reserveBytes: () => number;
  clock: Clock;
  log: Log;
}): () => Promise<void> {
  const { dataDir, driver, macs, reserveBytes, clock, log } = deps;
  const { signal } = new AbortController();
  let running: Promise<void> | null = null;

  const dropCaches = async () => {
    for (const name of accountCaches(dataDir)) {
      if ((await driver.freeBytes()) >= reserveBytes()) return;
      const folder = path.join(dataDir, 'cache', name);
      await trimContents(folder, { limit: 0, added: 1, now: clock.now(), signal });
      await trimMirrors(folder, 0, { clock, signal });
    }
  };

  const makeRoom = async () => {
    if ((await driver.freeBytes()) >= reserveBytes()) return;
    const slots = (await driver.listMacs()).flatMap(({ slot_id, record }) => (record ? [slot_id] : []));
    const removed = await freeDisk(driver, {
      slots,
      keep: new Set(),
      reserveBytes: reserveBytes(),
      remove: ({ slotId, name }) => macs.whileIdle(slotId, () => driver.removeWorkFolder(slotId, name)),
    });
    await dropCaches();
    const free_bytes = await driver.freeBytes();
    const fields = { free_bytes, reserve_bytes: reserveBytes(), removed_work_folders: removed };
    if (free_bytes < reserveBytes()) log.warn(fields, 'low on disk space; this host takes no builds');
    else log.info(fields, 'freed disk space');
  };

  return () => {
    running ??= makeRoom().finally(() => {
      running = null;
    });
    return running;
  };
}
