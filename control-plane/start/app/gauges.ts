// Gauges over the whole service, read when /metrics is requested.

import { listHosts } from '../../hosts/app/hosts.js';
import type { Host } from '../../hosts/domain/host.js';
import type { Gauge } from '../../platform/app/gauge.js';
import type { Store } from '../../platform/store/sql.js';
import { type Counted, countBuilds, countHosts, countMacs } from '../store/counts.js';

export function createGauges({ store }: { store: Store }): readonly Gauge[] {
  const labelled = (label: string, counts: readonly Counted[]) =>
    Object.fromEntries(counts.map(({ name, count }) => [`${label}="${name}"`, count]));
  const ofHosts = async (read: (host: Host) => number | null) => {
    const values: Record<string, number> = {};
    for (const host of await listHosts(store)) {
      const value = host.status === 'removed' ? null : read(host);
      if (value !== null) values[`host="${host.hostId}"`] = value;
    }
    return values;
  };
  return [
    {
      name: 'cidermill_builds',
      help: 'Builds that run and that wait.',
      read: async () => labelled('status', await countBuilds(store)),
    },
    {
      name: 'cidermill_hosts',
      help: 'Hosts that have not been removed.',
      read: async () => labelled('link', await countHosts(store)),
    },
    {
      name: 'cidermill_macs',
      help: 'Macs that have not ended.',
      read: async () => labelled('state', await countMacs(store)),
    },
    {
      name: 'cidermill_host_disk_free_bytes',
      help: 'Free disk space of each host, as it last reported it.',
      read: () => ofHosts(({ inventory }) => inventory?.disk_free_bytes ?? null),
    },
    {
      name: 'cidermill_host_disk_low',
      help: '1 for a host that takes no builds because its disk is low on space.',
      read: () => ofHosts(({ diskLow }) => (diskLow ? 1 : 0)),
    },
    {
      name: 'cidermill_host_blocked',
      help: '1 for a host that has reported why it cannot create Macs.',
      read: () => ofHosts(({ blocked }) => (blocked ? 1 : 0)),
    },
  ];
}
