// What this machine is, looked at now and then.
import type { Clock, Timer } from '../shared/clock.js';
import type { Log } from '../shared/log.js';
import type { Inventory } from '../shared/protocol/index.js';
import type { MacDriver } from './driver/driver.js';

export interface InventoryWatch {
  /** The newest; looks at once when there is none yet. */
  current(): Promise<Inventory>;
  close(): void;
}

export function watchInventory(deps: {
  driver: Pick<MacDriver, 'inventory'>;
  changed: (inventory: Inventory) => void;
  everyMs: () => number;
  clock: Clock;
  log: Log;
}): InventoryWatch {
  const { driver, changed, everyMs, clock, log } = deps;
  let known: Inventory | null = null;
  let timer: Timer | null = null;
  let closed = false;

  const later = () => {
    if (!closed) timer = clock.setTimeout(() => void look(), everyMs());
  };
  const look = async () => {
    try {
      const fresh = await driver.inventory();
      if (closed) return;
      const before = known;
      if (before === null || worthTelling(before, fresh)) known = fresh;
      if (before !== null && known === fresh) changed(fresh);
    } catch (error) {
      log.error({ err: error }, 'cannot take the inventory of this host');
    }
    later();
  };
  later();

  return {
    async current() {
      known ??= await driver.inventory();
      return known;
    },
    close() {
      closed = true;
      timer?.cancel();
    },
  };
}

/** Free disk space changes all the time; a twentieth is news. */
function worthTelling(a: Inventory, b: Inventory): boolean {
  const rest = (inventory: Inventory) => JSON.stringify({ ...inventory, disk_free_bytes: 0 });
  if (rest(a) !== rest(b)) return true;
  return Math.abs(a.disk_free_bytes - b.disk_free_bytes) > a.disk_free_bytes / 20;
}
