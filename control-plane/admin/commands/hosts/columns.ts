// The columns of `host list`, and the order of its rows.
import type { FleetHost } from '../../../../client/types.js';
import { countOf } from '../../../../shared/count.js';
import { hostReasons } from '../../../../shared/messages/host-reasons.js';
import { say } from '../../../../shared/messages/message.js';
import { spanText } from '../../../../shared/span-text.js';
import { labelsText } from '../../../hosts/domain/host-labels.js';
import type { Column } from '../../fit-table.js';

/** @example '79.1 GiB' */
export const gibText = (bytes: number | null): string =>
  bytes === null ? '' : `${(bytes / 1024 ** 3).toFixed(bytes < 100 * 1024 ** 3 ? 1 : 0)} GiB`;

/** @example 'acme rb_1, umbrella rb_2' */
const runningText = ({ running }: FleetHost) =>
  running.map(({ build_id, organization }) => `${organization.slug} ${build_id}`).join(', ');

/** @example 'drained by ann 2h ago: new switch; away for 12m' */
export const reasonsText = ({ reasons }: Pick<FleetHost, 'reasons'>): string =>
  reasons.map((reason) => say(hostReasons, 'en', reason)).join('; ');

const slotsText = ({ slots, slots_taken, shared }: FleetHost) => `${slots_taken}/${slots}${shared ? ' shared' : ''}`;

const seenText = ({ last_seen_at }: FleetHost, now: number) =>
  last_seen_at === null ? 'never' : spanText(now - Date.parse(last_seen_at));

/** Which checks have failed is said under WHY. */
function healthWord({ health, health_problems }: FleetHost): string {
  if (health === null) return 'unknown';
  return health === 'warning' ? countOf(health_problems.length, 'warning') : health;
}

/** In the order in which they are shown. */
export function hostColumns(now: number): Column<FleetHost>[] {
  return [
    { title: 'NAME', importance: 1, atMost: 24, cell: ({ name }) => name },
    { title: 'STATE', importance: 1, cell: ({ state }) => state },
    { title: 'WHY', importance: 2, atMost: 24, grows: true, cell: reasonsText },
    { title: 'TIER', importance: 6, atMost: 12, cell: ({ tier }) => tier ?? '-' },
    { title: 'SLOTS', importance: 3, cell: slotsText },
    { title: 'RUNNING', importance: 4, atMost: 20, grows: true, cell: runningText },
    { title: 'SEEN', importance: 5, cell: (host) => seenText(host, now) },
    { title: 'HEALTH', importance: 7, atMost: 16, cell: healthWord },
    { title: 'FREE', importance: 8, cell: ({ disk_free_bytes }) => gibText(disk_free_bytes) },
    { title: 'VERSION', importance: 9, atMost: 12, cell: ({ agent_version }) => agent_version ?? '' },
    { title: 'MACOS', importance: 10, atMost: 16, cell: ({ macos, os }) => macos ?? os ?? '' },
    { title: 'LABELS', importance: 11, cell: ({ labels }) => labelsText(labels) },
    { title: 'CHIP', importance: 12, cell: ({ chip, arch }) => chip ?? arch ?? '' },
    { title: 'MEMORY', importance: 13, cell: ({ memory_bytes }) => gibText(memory_bytes) },
    { title: 'XCODE', importance: 14, cell: ({ xcodes }) => (xcodes ?? []).join(', ') },
    { title: 'HOST', importance: 15, cell: ({ host_id }) => host_id },
  ];
}

const natural = new Intl.Collator('en', { numeric: true });
type Order = (a: FleetHost, b: FleetHost) => number;
const byText =
  (of: (host: FleetHost) => string): Order =>
  (a, b) =>
    natural.compare(of(a), of(b));
const byNumber =
  (of: (host: FleetHost) => number): Order =>
  (a, b) =>
    of(a) - of(b);

/** By the name that `--sort` gives; the smallest, or the oldest, first. */
export const orders = {
  name: byText(({ name }) => name),
  state: byText(({ state }) => state),
  tier: byText(({ tier }) => tier ?? ''),
  version: byText(({ agent_version }) => agent_version ?? ''),
  seen: byNumber(({ last_seen_at }) => (last_seen_at === null ? 0 : Date.parse(last_seen_at))),
  disk: byNumber(({ disk_free_bytes }) => disk_free_bytes ?? 0),
} satisfies Readonly<Record<string, Order>>;

/** Returns the hosts sorted by `by`, then by name. */
export const sorted = (hosts: readonly FleetHost[], by: keyof typeof orders): FleetHost[] =>
  [...hosts].sort((a, b) => orders[by](a, b) || orders.name(a, b));
