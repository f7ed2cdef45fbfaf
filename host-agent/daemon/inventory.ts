// What this machine is, looked at now and then, and when a build has ended.
import type { Clock, Timer } from '../../shared/clock.js';
import type { Log } from '../../shared/log.js';
import type { Inventory } from '../../shared/protocol/index.js';
import type { MacDriver } from '../driver/driver.js';

export interface InventoryWatch {
  /** The newest; looks at once when there is none yet. */
  current(): Promise<Inventory>;
  /** Disk space may have been used or freed: looks now if there was, or is, too little. */
  diskChanged(): void;
  close(): void;
}

/**
 * @param deps.reserveBytes with less free space than this the host wants no builds
 * @param deps.makeRoom called when less is free, before anybody is told so
 */
export function watchInventory(deps: {
  driver: Pick<MacDriver, 'inventory' | 'freeBytes'>;
  changed: (inventory: Inventory) => void;
  reserveBytes: () => number;
  makeRoom: () => Promise<void>;
  everyMs: () => number;
  clock: Clock;
  log: Log;
}): InventoryWatch {
  const { driver, changed, reserveBytes, makeRoom, everyMs, clock, log } = deps;
  let known: Inventory | null = null;
  let timer: Timer | null = null;
  let looking = false;
  let again = false;
  let closed = false;

  const take = async (): Promise<Inventory> => {
    const disk_reserve_bytes = reserveBytes();
    const found = { ...(await driver.inventory()), disk_reserve_bytes };
    if (!isLow(found) || closed) return found;
    await makeRoom();
    return { ...(await driver.inventory()), disk_reserve_bytes };
  };
  const look = async () => {
    if (looking) {
      again = true;
      return;
    }
    looking = true;
    timer?.cancel();
    do {
      again = false;
      await lookOnce();
    } while (again && !closed);
    looking = false;
    if (!closed) timer = clock.setTimeout(() => void look(), everyMs());
  };
  const lookOnce = async () => {
    try {
      const fresh = await take();
      if (closed) return;
      const before = known;
      if (before === null || isSignificant(before, fresh)) known = fresh;
      if (before !== null && known === fresh) changed(fresh);
    } catch (error) {
      log.error({ err: error }, 'cannot take the inventory of this host');
    }
  };
  timer = clock.setTimeout(() => void look(), everyMs());

  return {
    async current() {
      known ??= await take();
      return known;
    },
    diskChanged() {
      if (closed) return;
      driver
        .freeBytes()
        .then((free) => {
          if (free < reserveBytes() || (known && isLow(known))) void look();
        })
        .catch((error: unknown) => log.error({ err: error }, 'cannot read the free disk space'));
    },
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}

const isLow = (inventory: Inventory) => inventory.disk_free_bytes < (inventory.disk_reserve_bytes ?? 0);

/** Free disk space changes all the time; a twentieth is news, and whether it is enough. */
function isSignificant(a: Inventory, b: Inventory): boolean {
  const rest = (inventory: Inventory) => JSON.stringify({ ...inventory, disk_free_bytes: isLow(inventory) });
  if (rest(a) !== rest(b)) return true;
  return Math.abs(a.disk_free_bytes - b.disk_free_bytes) > a.disk_free_bytes / 20;
}
