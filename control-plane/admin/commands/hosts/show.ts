import type { Command } from 'commander';
import type { Host } from '../../../hosts/domain/host.js';
import { type Action, subcommand, table } from '../../command.js';
import { diskText, isoTime, view } from './view.js';

export function addShowCommand(host: Command, action: Action): void {
  subcommand(host, 'show <host>', 'one host').action(
    action(async ({ hosts }, _options, hostId = '') => {
      const one = await hosts.get(hostId);
      const slots = (await hosts.slots(hostId)).length;
      return { json: { ...view(one), slots }, text: table(details(one, slots)) };
    }),
  );
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
