import type { Command } from 'commander';
import type { HostEvent } from '../../../hosts/domain/host.js';
import { type Action, subcommand } from '../../command.js';
import { shown } from './view.js';

const changes: readonly (readonly [HostEvent, string])[] = [
  ['drain', 'let builds end, send no new ones, make no new Macs'],
  ['undrain', 'end a drain or a cordon'],
  ['cordon', 'make no new Macs there; those that are rented go on'],
  ['remove', 'take away its credential and disconnect it at once'],
];

export function addStateCommands(host: Command, action: Action): void {
  subcommand(host, 'approve <host>', 'take a host into service')
    .option('--tier <id>', 'what its Macs are rented as')
    .action(
      action<{ tier?: string }>(async ({ hosts }, { tier }, hostId = '') => {
        if (tier !== undefined) await hosts.configure(hostId, { tier });
        return shown(await hosts.change(hostId, 'approve'));
      }),
    );

  for (const [event, description] of changes) {
    subcommand(host, `${event} <host>`, description).action(
      action(async ({ hosts }, _options, hostId = '') => shown(await hosts.change(hostId, event))),
    );
  }
}
