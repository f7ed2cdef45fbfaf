import type { Command } from 'commander';
import { getHost } from '../../../../client/operations/operator.js';
import type { FleetHostDetail } from '../../../../client/types.js';
import { spanText } from '../../../../shared/span-text.js';
import { labelsText } from '../../../hosts/domain/host-labels.js';
import { type Cli, table } from '../../command.js';
import { gibText, reasonsText } from './columns.js';

export function addShowCommand(host: Command, cli: Cli): void {
  cli.command(
    host,
    'show <host>',
    'everything about one host, by id or name',
    async ({ client, show }, _options, ref) => {
      const one = await client.read(getHost, ref ?? '');
      const now = Date.parse(one.at);
      const sections = [
        table(details(one, now)),
        section(
          'slots',
          one.slot_details.flatMap((slot) => slotRows(slot, one, now)),
        ),
        section('health', healthRows(one)),
        section(
          'recent connections',
          one.connections.map((link) => linkRow(link, now)),
        ),
      ];
      show({ json: one, text: sections.filter((part) => part !== '').join('\n\n') });
      return undefined;
    },
  );
}

const section = (title: string, rows: string[][]) =>
  rows.length === 0 ? '' : `${title}\n${table(rows.map(([first = '', ...others]) => [`  ${first}`, ...others]))}`;

function details(host: FleetHostDetail, now: number): string[][] {
  const { blocked } = host;
  return [
    ['host', host.host_id],
    ['name', host.name],
    ['state', host.reasons.length === 0 ? host.state : `${host.state}: ${reasonsText(host)}`],
    ['tier', host.tier ?? 'none'],
    ['labels', labelsText(host.labels) || 'none'],
    ['slots', `${host.slots_taken} of ${host.slots} taken${host.shared ? ', shared' : ''}`],
    ['connected', connectedText(host, now)],
    ['driver', host.driver ?? 'unknown'],
    ['agent', host.agent_version ?? 'unknown'],
    ['upgrade', upgradeText(host)],
    ['macOS', host.macos ?? host.os ?? 'unknown'],
    [
      'machine',
      host.cpu_cores === null
        ? 'unknown'
        : `${host.chip ?? host.arch}, ${host.cpu_cores} cores, ${gibText(host.memory_bytes)} of memory`,
    ],
    ['disk', diskText(host)],
    ['Xcode', (host.xcodes ?? []).join(', ') || 'none reported'],
    ['new Macs', blocked ? `none (${blocked.code ?? 'unknown'}): ${blocked.message}` : 'possible'],
    ['address', addressText(host)],
    ['enrolled', host.enrolled_at],
  ];
}

function addressText({ address, moving }: FleetHostDetail): string {
  if (moving === null) return address ?? 'unknown';
  const notYet = moving.error === null ? '' : `, not yet: ${moving.error}`;
  return `${address ?? 'unknown'}; moving to ${moving.to}${notYet}`;
}

function connectedText({ connected, connected_at, last_seen_at }: FleetHostDetail, now: number): string {
  if (last_seen_at === null) return 'never';
  const seen = `last seen ${last_seen_at}, ${spanText(now - Date.parse(last_seen_at))} ago`;
  return connected ? `since ${connected_at}, ${seen}` : `no, ${seen}`;
}

function upgradeText({ upgrade }: FleetHostDetail): string {
  if (upgrade === null) return 'unknown';
  const error = upgrade.error === null ? '' : `: ${upgrade.error}`;
  if (!upgrade.able) return `not possible${error}`;
  return `${upgrade.state}${upgrade.version === null ? '' : ` ${upgrade.version}`}${error}`;
}

/** @example '79.1 GiB free', '0.8 GiB free: takes no builds' */
function diskText({ disk_free_bytes, disk_low }: FleetHostDetail): string {
  if (disk_free_bytes === null) return 'unknown';
  const free = `${(disk_free_bytes / 1024 ** 3).toFixed(1)} GiB free`;
  return disk_low ? `${free}: takes no builds` : free;
}

function slotRows(
  slot: FleetHostDetail['slot_details'][number],
  { running }: FleetHostDetail,
  now: number,
): string[][] {
  const place = `${slot.position}`;
  if (slot.macs.length === 0) return [[place, slot.held ? 'held by an unpaid order' : 'free']];
  return slot.macs.map(({ rental_id, name, state, organization, image_digest, xcode }) => {
    const build = running.find((one) => one.rental_id === rental_id);
    const begun = build?.started_at ? Date.parse(build.started_at) : now;
    return [
      place,
      state,
      name,
      rental_id,
      `${organization.name} (${organization.slug})`,
      build ? `builds ${build.build_id} for ${spanText(now - begun)}` : 'no build',
      xcode === null ? '' : `Xcode ${xcode}`,
      image_digest ?? '',
    ];
  });
}

function healthRows({ health, health_findings, health_problems, health_checked_at }: FleetHostDetail): string[][] {
  if (health_findings === null) return [];
  if (health_problems.length === 0) return [[health ?? 'unknown', `checked ${health_checked_at}`]];
  return health_problems.map(({ check, status, found, fix }) => [
    status,
    check ?? 'unknown',
    found,
    fix === null ? '' : `fix: ${fix}`,
  ]);
}

const linkRow = (
  { connected_at, ended_at, agent_version }: FleetHostDetail['connections'][number],
  now: number,
): string[] => {
  const end = ended_at === null ? now : Date.parse(ended_at);
  const length = spanText(end - Date.parse(connected_at ?? ''));
  return [connected_at ?? '', `${ended_at === null ? 'still connected,' : 'for'} ${length}`, agent_version];
};
