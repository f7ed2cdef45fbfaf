// The capacity of the whole service, for operators: slots of each host and of each tier.
import { listHosts } from '../../hosts/app/hosts.js';
import { slotsOfHosts } from '../../hosts/app/slots.js';
import type { Host } from '../../hosts/domain/host.js';
import { listTiers } from '../../macs/app/tiers.js';
import type { Tier } from '../../macs/domain/tier.js';
import type { Queries } from '../../platform/store/sql.js';
import { addCounts, type SlotCounts, slotCounts } from '../domain/capacity.js';

export interface Capacity {
  /** Hosts that are not removed, oldest first. */
  readonly hosts: readonly { readonly host: Host; readonly slots: SlotCounts }[];
  /** Every tier; cheapest first. */
  readonly tiers: readonly { readonly tier: Tier; readonly slots: SlotCounts }[];
}

const NONE: SlotCounts = { free: 0, used: 0, unsellable: 0 };

/** Three queries, whose rows are hosts, slots and tiers. */
export async function readCapacity(q: Queries): Promise<Capacity> {
  const [all, counted, tiers] = await Promise.all([listHosts(q), slotsOfHosts(q), listTiers(q)]);
  const hosts = all
    .filter(({ status }) => status !== 'removed')
    .map((host) => ({
      host,
      slots: slotCounts(host, counted.get(host.hostId) ?? { total: 0, used: 0 }),
    }));
  const byTier = new Map<string, SlotCounts>();
  for (const { host, slots } of hosts) {
    // A host that is not approved yet has no capacity.
    if (host.tier === null || host.status === 'pending') continue;
    byTier.set(host.tier, addCounts(byTier.get(host.tier) ?? NONE, slots));
  }
  return { hosts, tiers: tiers.map((tier) => ({ tier, slots: byTier.get(tier.tier) ?? NONE })) };
}
