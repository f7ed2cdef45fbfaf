// Metrics of each host and tier. A scrape reads hosts, slots, tiers and running builds once; the number of series grows
// with the hosts, not with what happens on them.
import { isUnhealthy } from '../../hosts/domain/health.js';
import type { Host } from '../../hosts/domain/host.js';
import { type GaugeGroup, labels, type Measured } from '../../platform/app/gauge.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { type Capacity, readCapacity } from '../../renting/app/capacity.js';
import type { SlotCounts } from '../../renting/domain/capacity.js';
import { countRunning } from '../store/counts.js';

type Reading = Capacity & { readonly running: ReadonlyMap<string, number> };
type OfHost = Capacity['hosts'][number] & { readonly running: number };

/** The additional labels of a sample, and its value; null: no sample. */
type Sample = readonly [more: Readonly<Record<string, string>>, value: number | null];

interface HostMetric {
  readonly name: string;
  readonly help: string;
  readonly type?: 'counter' | 'gauge';
  read(of: OfHost): number | null | readonly Sample[];
}

const bySlotState = ({ free, used, unsellable }: SlotCounts): readonly Sample[] => [
  [{ state: 'free' }, free],
  [{ state: 'used' }, used],
  [{ state: 'unsellable' }, unsellable],
];
const seconds = (ms: number | null) => (ms === null ? null : ms / 1000);
const findings = ({ health }: Host, status: string) =>
  health?.findings.filter((finding) => finding.status === status).length ?? 0;

type HostGaugeLimits = Pick<Limits, 'link_renew_ms'>;

const hostMetrics = ({ link_renew_ms }: HostGaugeLimits): readonly HostMetric[] => [
  {
    name: 'cidermill_host_up',
    help: '1 while the host is connected.',
    read: ({ host }) => (host.connected ? 1 : 0),
  },
  {
    name: 'cidermill_host_last_heartbeat_timestamp_seconds',
    help: `When the host last sent something; stored every ${link_renew_ms / 1000} s.`,
    read: ({ host }) => seconds(host.lastSeenAt),
  },
  {
    name: 'cidermill_host_connections_total',
    help: 'How often the host has connected; each but the first is a reconnect.',
    type: 'counter',
    read: ({ host }) => host.connections,
  },
  {
    name: 'cidermill_host_status',
    help: '1 for the status that operators have given the host.',
    read: ({ host }) => [[{ status: host.status }, 1]],
  },
  {
    name: 'cidermill_host_slots',
    help: 'Slots of the host by state: free, used, and unsellable while the host takes no new Macs.',
    read: ({ slots }) => bySlotState(slots),
  },
  {
    name: 'cidermill_host_builds_running',
    help: 'Builds that run on the host.',
    read: ({ running }) => running,
  },
  {
    name: 'cidermill_host_disk_free_bytes',
    help: 'Free disk space, as the host last reported it.',
    read: ({ host }) => host.inventory?.disk_free_bytes ?? null,
  },
  {
    name: 'cidermill_host_disk_size_bytes',
    help: 'Size of the disk of the data folder.',
    read: ({ host }) => host.inventory?.disk_total_bytes ?? null,
  },
  {
    name: 'cidermill_host_disk_low',
    help: '1 for a host that takes no builds because its disk is low on space.',
    read: ({ host }) => (host.diskLow ? 1 : 0),
  },
  {
    name: 'cidermill_host_memory_bytes',
    help: 'Memory of the host.',
    read: ({ host }) => host.inventory?.memory_bytes ?? null,
  },
  {
    name: 'cidermill_host_health_findings',
    help: "What the host's doctor found, by status.",
    read: ({ host }) =>
      host.health === null
        ? null
        : ['ok', 'warning', 'failed'].map((status) => [{ status }, findings(host, status)] as const),
  },
  {
    name: 'cidermill_host_unhealthy',
    help: "1 while a check of the host's doctor fails.",
    read: ({ host }) => (host.health === null ? null : isUnhealthy(host.health) ? 1 : 0),
  },
  {
    name: 'cidermill_host_health_checked_timestamp_seconds',
    help: "When the host's doctor ran its checks, by the host's clock.",
    read: ({ host }) => seconds(host.health?.checked_at ?? null),
  },
  {
    name: 'cidermill_host_blocked',
    help: '1 for a host that has reported why it cannot create Macs; the code says why.',
    read: ({ host }) => [[{ code: host.blocked?.code ?? '' }, host.blocked ? 1 : 0]],
  },
  {
    name: 'cidermill_host_upgrade_state',
    help: "1 for the state of the host agent's upgrade.",
    read: ({ host: { upgrade } }) =>
      upgrade === null ? null : [[{ state: upgrade.state, version: upgrade.version ?? '' }, 1]],
  },
  {
    name: 'cidermill_host_agent_info',
    help: '1; the labels are the version of the host agent, its driver, its system and its link protocol.',
    read: ({ host }) =>
      host.agentVersion === null
        ? null
        : [
            [
              {
                version: host.agentVersion,
                driver: host.driver ?? '',
                os: host.inventory?.os ?? '',
                protocol: String(host.protocol ?? ''),
              },
              1,
            ],
          ],
  },
  {
    name: 'cidermill_host_clock_skew_seconds',
    help: "By how much the host's clock is ahead of the service's, when it last reported.",
    read: ({ host }) => seconds(host.clockSkewMs),
  },
];

function ofHosts({ hosts, running }: Reading, limits: HostGaugeLimits): Measured[] {
  return hostMetrics(limits).map(({ read, ...metric }) => {
    const values: Record<string, number> = {};
    for (const one of hosts) {
      const { hostId, name } = one.host;
      const found = read({ ...one, running: running.get(hostId) ?? 0 });
      const samples: readonly Sample[] = typeof found === 'object' && found !== null ? found : [[{}, found]];
      for (const [more, value] of samples) {
        if (value !== null) values[labels({ host: hostId, name, ...more })] = value;
      }
    }
    return { ...metric, values };
  });
}

function ofTiers({ tiers }: Reading): Measured[] {
  const values: Record<string, number> = {};
  const open: Record<string, number> = {};
  for (const { tier, slots } of tiers) {
    open[labels({ tier: tier.tier })] = tier.salesOpen ? 1 : 0;
    for (const [state, value] of bySlotState(slots)) values[labels({ tier: tier.tier, ...state })] = value ?? 0;
  }
  return [
    {
      name: 'cidermill_tier_slots',
      help: 'Slots of the tier by state: free, used, and unsellable while their hosts take no new Macs.',
      values,
    },
    { name: 'cidermill_tier_sales_open', help: '1 while Macs of the tier can be ordered.', values: open },
  ];
}

export function createHostGauges({ store, limits }: { store: Store; limits: HostGaugeLimits }): GaugeGroup {
  return {
    async readAll() {
      const [capacity, running] = await Promise.all([readCapacity(store), countRunning(store)]);
      const reading = { ...capacity, running };
      return [...ofHosts(reading, limits), ...ofTiers(reading)];
    },
  };
}
