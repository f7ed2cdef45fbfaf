import type { Command } from 'commander';
import { healthText, problemsOf } from '../../../hosts/domain/health.js';
import type { Host } from '../../../hosts/domain/host.js';
import { labelsText } from '../../../hosts/domain/host-labels.js';
import { moveText } from '../../../hosts/domain/host-move.js';
import { spanText, stateOf } from '../../../hosts/domain/host-summary.js';
import { isoTime } from '../../../hosts/http/host-view.js';
import type { HostLink } from '../../../hosts/store/host-links.js';
import { type FleetHost, type FleetSlot, type RunningBuild, whyOfFleet } from '../../../start/app/fleet.js';
import { findingView, fleetView, isTaken, linkView, slotView } from '../../../start/http/fleet-view.js';
import { type Action, subcommand, table } from '../../command.js';
import { gibText, xcodesText } from './columns.js';
import { diskText } from './view.js';

export function addShowCommand(host: Command, action: Action): void {
  subcommand(host, 'show <host>', 'everything about one host, by id or name').action(
    action(async ({ fleet, hosts, now }, _options, ref = '') => {
      const one = await fleet.show(ref);
      const links = await hosts.recentLinks(one.host.hostId);
      return {
        json: {
          ...fleetView(one, now()),
          health_findings: one.host.health?.findings.map(findingView) ?? null,
          slot_details: one.slots.map((slot) => slotView(slot, one.builds)),
          connections: links.map(linkView),
        },
        text: [
          table(details(one, now())),
          section(
            'slots',
            one.slots.flatMap((slot) => slotRows(slot, one.builds, now())),
          ),
          section('health', healthRows(one.host)),
          section(
            'recent connections',
            links.map((link) => linkRow(link, now())),
          ),
        ]
          .filter((part) => part !== '')
          .join('\n\n'),
      };
    }),
  );
}

const section = (title: string, rows: string[][]) =>
  rows.length === 0 ? '' : `${title}\n${table(rows.map(([first = '', ...others]) => [`  ${first}`, ...others]))}`;

function details({ host, slots, builds }: FleetHost, now: number): string[][] {
  const { inventory } = host;
  const why = whyOfFleet({ host, slots, builds }, now);
  return [
    ['host', host.hostId],
    ['name', host.name],
    ['state', why === '' ? stateOf(host) : `${stateOf(host)}: ${why}`],
    ['tier', host.tier ?? 'none'],
    ['labels', labelsText(host.labels) || 'none'],
    ['slots', `${slots.filter(isTaken).length} of ${slots.length} taken${host.shared ? ', shared' : ''}`],
    ['connected', connectedText(host, now)],
    ['driver', host.driver ?? 'unknown'],
    ['agent', host.agentVersion ?? 'unknown'],
    ['upgrade', upgradeText(host)],
    ['macOS', inventory?.macos ?? inventory?.os ?? 'unknown'],
    [
      'machine',
      inventory
        ? `${inventory.chip ?? inventory.arch}, ${inventory.cpu_cores} cores, ${gibText(inventory.memory_bytes)} of memory`
        : 'unknown',
    ],
    ['disk', diskText(host) || 'unknown'],
    ['Xcode', xcodesText(host) || 'none reported'],
    ['new Macs', host.blocked ? `none (${host.blocked.code ?? 'unknown'}): ${host.blocked.message}` : 'possible'],
    ['address', addressText(host)],
    ['enrolled', isoTime(host.createdAt) ?? ''],
  ];
}

function connectedText({ connected, connectedAt, lastSeenAt }: Host, now: number): string {
  if (lastSeenAt === null) return 'never';
  const seen = `last seen ${isoTime(lastSeenAt)}, ${spanText(now - lastSeenAt)} ago`;
  return connected ? `since ${isoTime(connectedAt)}, ${seen}` : `no, ${seen}`;
}

function upgradeText({ upgrade }: Host): string {
  if (upgrade === null) return 'unknown';
  if (!upgrade.able) return `not possible${upgrade.error === null ? '' : `: ${upgrade.error}`}`;
  const version = upgrade.version === null ? '' : ` ${upgrade.version}`;
  return `${upgrade.state}${version}${upgrade.error === null ? '' : `: ${upgrade.error}`}`;
}

function addressText(host: Host): string {
  const move = moveText(host);
  return `${host.linkAddress?.site_url ?? 'unknown'}${move === null ? '' : `; moving to ${move}`}`;
}

function slotRows(slot: FleetSlot, builds: readonly RunningBuild[], now: number): string[][] {
  const place = `${slot.position}`;
  if (slot.macs.length === 0) return [[place, slot.held ? 'held by an unpaid order' : 'free']];
  return slot.macs.map(({ rentalId, state, organization, madeFrom, xcode }) => {
    const build = builds.find((one) => one.rentalId === rentalId);
    const running = build && `builds ${build.buildId} for ${spanText(now - (build.startedAt ?? now))}`;
    return [
      place,
      state,
      rentalId,
      `${organization.name} (${organization.slug})`,
      running ?? 'no build',
      xcode === null ? '' : `Xcode ${xcode}`,
      madeFrom ?? '',
    ];
  });
}

function healthRows({ health }: Host): string[][] {
  if (health === null) return [];
  const problems = problemsOf(health);
  if (problems.length === 0) return [[healthText(health), `checked ${isoTime(health.checked_at)}`]];
  return problems.map(({ check, status, found, fix }) => [
    status,
    check ?? 'unknown',
    found,
    fix === null ? '' : `fix: ${fix}`,
  ]);
}

const linkRow = ({ connectedAt, endedAt, agentVersion }: HostLink, now: number): string[] => [
  isoTime(connectedAt) ?? '',
  `${endedAt === null ? 'still connected,' : 'for'} ${spanText((endedAt ?? now) - connectedAt)}`,
  agentVersion,
];
