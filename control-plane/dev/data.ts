// The use cases that seeding needs, on a separate database connection while the service runs.
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { compose } from '../compose/compose.js';
import { readConfig } from '../config.js';
import { openDatabase } from '../data-folder.js';
import { createImagePulls, type ImagePulls } from '../macs/app/image-pulls.js';
import type { SeedDeps } from './seed.js';

export type SeedData = SeedDeps & { images: Pick<ImagePulls, 'show'>; close(): Promise<void> };

export async function openSeedData(data: string): Promise<SeedData> {
  const config = readConfig(process.env, { CIDERMILL_DATA: data });
  const { store } = await openDatabase(data);
  const log = createLog('seed', 'warn');
  const parts = await compose({ config, store, siteUrl: 'http://127.0.0.1', clock: systemClock, log });
  const { organizations, apiKeys, users } = parts.access;
  return {
    ...{ organizations, apiKeys, users },
    ...{ tiers: parts.orders.tiers, hosts: parts.hosts.hosts, rentals: parts.orders.rentals },
    images: createImagePulls({ store, clock: systemClock, wake: parts.platform.wake }),
    async close() {
      await parts.close();
      await store.close();
    },
  };
}
