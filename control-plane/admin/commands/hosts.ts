import type { Command } from 'commander';
import type { HostSettings } from '../../hosts/app/host-settings.js';
import type { Host, HostEvent } from '../../hosts/domain/host.js';
import { type Action, subcommand, table, trueOrFalse, wholeNumber } from '../command.js';

const changes: readonly (readonly [HostEvent, string])[] = [
  ['drain', 'let builds end, send no new ones, make no new Macs'],
  ['undrain', 'end a drain or a cordon'],
  ['cordon', 'make no new Macs there; those that are rented go on'],
  ['remove', 'take away its credential and disconnect it at once'],
];

export function addHostCommands(program: Command, action: Action): void {
  const host = program.command('host').description('machines that Macs are made on');

  subcommand(host, 'enroll', 'make a one-time token (15 minutes) with which a machine becomes a host')
    .option('--name <name>', "the machine's own name otherwise")
    .option('--tier <id>', 'what its Macs are rented as; without it the host waits for approval')
    .option('--slots <n>', 'Macs it may hold at a time', wholeNumber, 2)
    .action(
      action<{ name?: string; tier?: string; slots: number }>(async ({ hosts }, { name, tier, slots }) => {
        const made = await hosts.createEnrolment({ name, tier, slots });
        return { json: made, text: `${made.token}\nvalid until ${made.expires_at}` };
      }),
    );

  subcommand(host, 'list', 'all hosts').action(
    action(async ({ hosts }) => {
      const all = await Promise.all(
        (await hosts.list()).map(async (one) => ({ host: one, slots: await hosts.slots(one.hostId) })),
      );
      return {
        json: { hosts: all.map(({ host: one, slots }) => ({ ...view(one), slots: slots.length })) },
        text: table(
          all.map(({ host: one, slots }) => [
            one.hostId,
            one.name,
            one.tier ?? 'no tier',
            `${slots.length} ${slots.length === 1 ? 'slot' : 'slots'}${one.shared ? ', shared' : ''}`,
            one.status,
            one.connected ? 'connected' : 'away',
            diskText(one),
            one.blocked === null ? '' : `cannot create Macs: ${one.blocked.message}`,
          ]),
        ),
      };
    }),
  );

  subcommand(host, 'show <host>', 'one host').action(
    action(async ({ hosts }, _options, hostId = '') => {
      const one = await hosts.get(hostId);
      const slots = (await hosts.slots(hostId)).length;
      return { json: { ...view(one), slots }, text: table(details(one, slots)) };
    }),
  );

  subcommand(host, 'approve <host>', 'take a host into service')
    .option('--tier <id>', 'what its Macs are rented as')
    .action(
      action<{ tier?: string }>(async ({ hosts }, { tier }, hostId = '') => {
        if (tier !== undefined) await hosts.configure(hostId, { tier });
        return shown(await hosts.change(hostId, 'approve'));
      }),
    );

  subcommand(host, 'set <host>', 'change what is given of a host')
    .option('--tier <id>', 'what its Macs are rented as; only while none is rented')
    .option('--slots <n>', 'Macs it may hold at a time; one that somebody has is not taken away', wholeNumber)
    .option('--shared <true|false>', 'whether it may serve several accounts at a time', trueOrFalse)
    .action(
      action<HostSettings>(async ({ hosts }, { tier, slots, shared }, hostId = '') => {
        const settings = {
          ...(tier === undefined ? {} : { tier }),
          ...(slots === undefined ? {} : { slots }),
          ...(shared === undefined ? {} : { shared }),
        };
        return shown(await hosts.configure(hostId, settings));
      }),
    );

  subcommand(host, 'set-tier <host> <tier>', 'the same as set --tier').action(
    action(async ({ hosts }, _options, hostId = '', tier = '') =>
      shown(await hosts.configure(hostId, { tier })),
    ),
  );

  for (const [event, description] of changes) {
    subcommand(host, `${event} <host>`, description).action(
      action(async ({ hosts }, _options, hostId = '') => shown(await hosts.change(hostId, event))),
    );
  }
}

function shown(host: Host) {
  return { json: view(host), text: `${host.hostId} is ${host.status}` };
}

/** @example '79.1 GiB free', '0.8 GiB free: takes no builds' */
function diskText({ inventory, diskLow }: Host): string {
  if (inventory === null) return '';
  const free = `${(inventory.disk_free_bytes / 1024 ** 3).toFixed(1)} GiB free`;
  return diskLow ? `${free}: takes no builds` : free;
}

function details(host: Host, slots: number): string[][] {
  const { inventory } = host;
  return [
    ['host', host.hostId],
    ['name', host.name],
    ['status', host.draining ? `${host.status}, and draining by its own configuration` : host.status],
    ['tier', host.tier ?? 'none'],
    ['slots', `${slots}${host.shared ? ', shared' : ''}`],
    ['connected', host.connected ? 'yes' : `no, last seen ${isoTime(host.lastSeenAt) ?? 'never'}`],
    ['driver', host.driver ?? 'unknown'],
    ['agent', host.agentVersion ?? 'unknown'],
    ['machine', inventory ? `${inventory.os}, ${inventory.arch}, ${inventory.cpu_cores} cores` : 'unknown'],
    ['disk', diskText(host)],
    [
      'new Macs',
      host.blocked ? `none (${host.blocked.code ?? 'unknown'}): ${host.blocked.message}` : 'possible',
    ],
  ];
}

const isoTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function view(host: Host) {
  return {
    host_id: host.hostId,
    name: host.name,
    tier: host.tier,
    status: host.status,
    shared: host.shared,
    driver: host.driver,
    agent_version: host.agentVersion,
    disk_free_bytes: host.inventory?.disk_free_bytes ?? null,
    disk_low: host.diskLow,
    blocked: host.blocked,
    connected: host.connected,
    last_seen_at: isoTime(host.lastSeenAt),
  };
}
