// The use cases that seeding needs, on a database connection of its own beside the running service.
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { compose } from '../compose/compose.js';
import { readConfig } from '../config.js';
import { openDatabase } from '../data-folder.js';
import { noAllowedReceivers } from '../platform/outbound/allowed-receivers.js';
import type { SeedDeps } from './seed.js';

export type SeedData = SeedDeps & { close(): Promise<void> };

export async function openSeedData(data: string): Promise<SeedData> {
  const config = readConfig(process.env, { CIDERMILL_DATA: data });
  const { store } = await openDatabase(data);
  const parts = await compose({
    ...{ data, store, siteUrl: 'http://127.0.0.1', limits: config.limits, codeHosts: config.codeHosts },
    ...{
      trustedProxies: [],
      operatorToken: null,
      scanningKeysUrl: config.secretScanningKeysUrl,
      mail: config.mail,
      payments: config.payments,
    },
    ...{
      allowLoopback: false,
      allowedReceivers: noAllowedReceivers,
      statusApi: null,
      clock: systemClock,
      realClock: systemClock,
      log: createLog('seed', 'warn'),
    },
  });
  const { organizations, apiKeys, users, tiers, hosts, rentals } = parts;
  return {
    ...{ organizations, apiKeys, users, tiers, hosts, rentals },
    async close() {
      parts.wake.close();
      await parts.server.close();
      await parts.apiErrors.close();
      await apiKeys.close();
      await parts.sessions.close();
      await store.close();
    },
  };
}
