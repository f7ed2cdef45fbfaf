// Fills the database that the environment names: accounts with a key, hosts with two Macs each, all of them rented.
import { createHash } from 'node:crypto';
import { composeAccess } from '../../control-plane/compose/access.js';
import { composeBase } from '../../control-plane/compose/platform.js';
import { composeOrders } from '../../control-plane/compose/renting.js';
import { readConfig } from '../../control-plane/config.js';
import { openDatabaseBeside } from '../../control-plane/database.js';
import { addHost } from '../../control-plane/hosts/app/new-host.js';
import { listSlots } from '../../control-plane/hosts/store/slots.js';
import { addRental } from '../../control-plane/renting/app/rentals.js';
import { systemClock } from '../../shared/clock.js';
import { createLog } from '../../shared/log.js';
import { serve } from './child.js';
import { credentialOf } from './options.js';

const TIER = 'm4';
const MACS_PER_HOST = 2;
const HOURS = 720;
/** Hosts in one transaction. */
const AT_ONCE = 100;

async function seed({ hosts, accounts }: { hosts: number; accounts: number }): Promise<string[]> {
  const config = readConfig(process.env);
  const log = createLog('seed', 'warn');
  const store = await openDatabaseBeside(config, log);
  const base = composeBase({ config, store, siteUrl: 'http://127.0.0.1', clock: systemClock, log });
  const { organizations, apiKeys } = composeAccess(base);
  const { tiers } = composeOrders(base);
  await tiers.add(TIER, { name: 'Mac mini M4', priceWon: 10_000, xcodeVersions: ['26.1'] });
  const owners: number[] = [];
  const keys: string[] = [];
  for (let i = 0; i < accounts; i++) {
    const { id, workspaceId } = await organizations.create({ name: `Team ${i}` });
    const key = { accountId: id, workspaceId, name: 'bench', levels: ['read', 'build', 'manage'] as const };
    keys.push((await apiKeys.create(key)).key);
    owners.push(id);
  }
  let macs = 0;
  for (let from = 0; from < hosts; from += AT_ONCE) {
    await store.transaction(async (tx) => {
      for (let host = from; host < Math.min(hosts, from + AT_ONCE); host++) {
        const { hostId } = await addHost(tx, base, {
          name: `mac-${host}`,
          tier: TIER,
          slots: MACS_PER_HOST,
          labels: {},
          credentialHash: createHash('sha256').update(credentialOf(host)).digest('hex'),
          enrolmentId: null,
        });
        for (const { slotId } of await listSlots(tx, hostId)) {
          const now = base.clock.now();
          const machine = { rentalId: `rt_bench${String(macs).padStart(8, '0')}`, slotId, tier: TIER, xcode: null };
          const times = { orderNo: null, hours: HOURS, startsAt: now, endsAt: now + HOURS * 3_600_000 };
          const accountId = owners[macs++ % owners.length] ?? 0;
          await addRental(tx, base, { ...machine, ...times, accountId, state: 'preparing', now });
        }
      }
    });
  }
  base.wake.close();
  await store.close();
  return keys;
}

serve({ seed });
