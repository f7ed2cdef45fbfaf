// Watches the inventory of this machine: read periodically, and when a build has ended.
import type { Clock } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { Inventory } from '../../shared/protocol/index.js';
import type { MacDriver } from '../driver/driver.js';
import { coalesce } from '../system/coalesce.js';

/**
 * Reads the inventory every `everyMs`, and reports significant changes.
 *
 * @param deps.reserveBytes with less free space than this the host takes no builds
 * @param deps.makeRoom called when less is free, before that is reported
 */
export function watchInventory(deps: {
  driver: Pick<MacDriver, 'inventory' | 'freeBytes'>;
  changed: (inventory: Inventory) => void;
  reserveBytes: () => number;
  makeRoom: () => Promise<void>;
  everyMs: () => number;
  clock: Clock;
  log: Log;
}) {
  const { driver, changed, reserveBytes, makeRoom, everyMs, clock, log } = deps;
  let known: Inventory | null = null;
  let closed = false;

  const read = async (): Promise<Inventory> => {
    const disk_reserve_bytes = reserveBytes();
    const found = { ...(await driver.inventory()), disk_reserve_bytes };
    if (!isLow(found) || closed) return found;
    await makeRoom();
    return { ...(await driver.inventory()), disk_reserve_bytes };
  };
  const readAndReport = async () => {
    const fresh = await read();
    if (closed) return;
    const before = known;
    if (before !== null && !isSignificant(before, fresh)) return;
    known = fresh;
    if (before !== null) changed(fresh);
  };
  const refresh = coalesce(async () => {
    timer.cancel();
    await readAndReport().catch((error: unknown) => {
      log.error({ err: error }, 'cannot read the inventory of this host');
    });
    if (!closed) timer = clock.setTimeout(() => void refresh(), everyMs());
  });
  let timer = clock.setTimeout(() => void refresh(), everyMs());

  return {
    /** Returns the latest inventory; reads it if there is none yet. */
    async current() {
      known ??= await read();
      return known;
    },
    /** Disk space may have been used or freed: refreshes if there was, or is, too little. */
    diskChanged() {
      if (closed) return;
      driver
        .freeBytes()
        .then((free) => {
          if (free < reserveBytes() || (known && isLow(known))) void refresh();
        })
        .catch((error: unknown) => log.error({ err: error }, 'cannot read the free disk space'));
    },
    /** The driver reports something new. */
    changed: () => void refresh(),
    close() {
      closed = true;
      timer.cancel();
    },
  };
}

const isLow = (inventory: Inventory) => inventory.disk_free_bytes < (inventory.disk_reserve_bytes ?? 0);

/** Returns whether the change is worth a message. Free disk space counts from a twentieth, or when it becomes (in)sufficient. */
function isSignificant(a: Inventory, b: Inventory): boolean {
  const rest = (inventory: Inventory) => JSON.stringify({ ...inventory, disk_free_bytes: isLow(inventory) });
  if (rest(a) !== rest(b)) return true;
  return Math.abs(a.disk_free_bytes - b.disk_free_bytes) > a.disk_free_bytes / 20;
}
