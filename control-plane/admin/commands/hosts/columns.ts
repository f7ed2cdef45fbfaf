// The columns of `host list`, and the order of its rows.
import { healthText, isUnhealthy } from '../../../hosts/domain/health.js';
import type { Host } from '../../../hosts/domain/host.js';
import { labelsText } from '../../../hosts/domain/host-labels.js';
import { spanText, stateOf } from '../../../hosts/domain/host-summary.js';
import { type FleetHost, whyOfFleet } from '../../../start/app/fleet.js';
import { isTaken, xcodesOf } from '../../../start/http/fleet-view.js';
import type { Column } from '../../fit-table.js';

/** @example '79.1 GiB' */
export const gibText = (bytes: number | undefined): string =>
  bytes === undefined ? '' : `${(bytes / 1024 ** 3).toFixed(bytes < 100 * 1024 ** 3 ? 1 : 0)} GiB`;

export const xcodesText = (host: Host): string => xcodesOf(host).join(', ');

/** @example 'acme rb_1, umbrella rb_2' */
const runningText = ({ builds }: FleetHost) =>
  builds.map(({ buildId, organization }) => `${organization.slug} ${buildId}`).join(', ');

const slotsText = ({ slots, host }: FleetHost) =>
  `${slots.filter(isTaken).length}/${slots.length}${host.shared ? ' shared' : ''}`;

const seenText = ({ lastSeenAt }: Host, now: number) => (lastSeenAt === null ? 'never' : spanText(now - lastSeenAt));

/** Which checks have failed is said under WHY. */
const healthWord = ({ health }: Host) => (isUnhealthy(health) ? 'failed' : healthText(health));

/** In the order in which they are shown. */
export function hostColumns(now: number): Column<FleetHost>[] {
  return [
    { title: 'NAME', importance: 1, atMost: 24, cell: ({ host }) => host.name },
    { title: 'STATE', importance: 1, cell: ({ host }) => stateOf(host) },
    { title: 'WHY', importance: 2, atMost: 24, grows: true, cell: (one) => whyOfFleet(one, now) },
    { title: 'TIER', importance: 6, atMost: 12, cell: ({ host }) => host.tier ?? '-' },
    { title: 'SLOTS', importance: 3, cell: slotsText },
    { title: 'RUNNING', importance: 4, atMost: 20, grows: true, cell: runningText },
    { title: 'SEEN', importance: 5, cell: ({ host }) => seenText(host, now) },
    { title: 'HEALTH', importance: 7, atMost: 16, cell: ({ host }) => healthWord(host) },
    { title: 'FREE', importance: 8, cell: ({ host }) => gibText(host.inventory?.disk_free_bytes) },
    { title: 'VERSION', importance: 9, atMost: 12, cell: ({ host }) => host.agentVersion ?? '' },
    {
      title: 'MACOS',
      importance: 10,
      atMost: 16,
      cell: ({ host }) => host.inventory?.macos ?? host.inventory?.os ?? '',
    },
    { title: 'LABELS', importance: 11, cell: ({ host }) => labelsText(host.labels) },
    { title: 'CHIP', importance: 12, cell: ({ host }) => host.inventory?.chip ?? host.inventory?.arch ?? '' },
    { title: 'MEMORY', importance: 13, cell: ({ host }) => gibText(host.inventory?.memory_bytes) },
    { title: 'XCODE', importance: 14, cell: ({ host }) => xcodesText(host) },
    { title: 'HOST', importance: 15, cell: ({ host }) => host.hostId },
  ];
}

const natural = new Intl.Collator('en', { numeric: true });
type Order = (a: FleetHost, b: FleetHost) => number;
const byText =
  (of: (host: Host) => string): Order =>
  (a, b) =>
    natural.compare(of(a.host), of(b.host));
const byNumber =
  (of: (host: Host) => number): Order =>
  (a, b) =>
    of(a.host) - of(b.host);

/** By the name that `--sort` gives; the smallest, or the oldest, first. */
export const orders = {
  name: byText(({ name }) => name),
  state: byText(stateOf),
  tier: byText(({ tier }) => tier ?? ''),
  version: byText(({ agentVersion }) => agentVersion ?? ''),
  seen: byNumber(({ lastSeenAt }) => lastSeenAt ?? 0),
  disk: byNumber(({ inventory }) => inventory?.disk_free_bytes ?? 0),
} satisfies Readonly<Record<string, Order>>;

/** Returns the hosts sorted by `by`, then by name. */
export const sorted = (hosts: readonly FleetHost[], by: keyof typeof orders): FleetHost[] =>
  [...hosts].sort((a, b) => orders[by](a, b) || orders.name(a, b));
