import type { Command } from 'commander';
import { type Action, subcommand, table } from '../../command.js';
import { diskText, view } from './view.js';

export function addListCommand(host: Command, action: Action): void {
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
}
