// The use cases that seeding needs, on a separate database connection while the service runs.
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { composeAccess } from '../compose/access.js';
import { composeHosts } from '../compose/hosts.js';
import { composePackages } from '../compose/packages.js';
import { composeBase } from '../compose/platform.js';
import { composeOrders } from '../compose/renting.js';
import { readConfig } from '../config.js';
import { openDatabaseBeside } from '../database.js';
import { createImagePulls, type ImagePulls } from '../macs/app/image-pulls.js';
import type { SeedDeps } from './seed.js';

export type SeedData = SeedDeps & { images: Pick<ImagePulls, 'show'>; close(): Promise<void> };

export async function openSeedData(data: string): Promise<SeedData> {
  const config = readConfig(process.env, { CIDERMILL_DATA: data });
  const log = createLog('seed', 'warn');
  const store = await openDatabaseBeside(config, log);
  const base = composeBase({ config, store, siteUrl: 'http://127.0.0.1', clock: systemClock, log });
  const access = composeAccess(base);
  const { tiers, rentals } = composeOrders(base);
  const { organizations, apiKeys, users } = access;
  return {
    organizations,
    apiKeys,
    users,
    tiers,
    rentals,
    hosts: composeHosts(base, composePackages(base).packages).hosts,
    images: createImagePulls(base),
    async close() {
      base.wake.close();
      await access.close();
      await store.close();
    },
  };
}
