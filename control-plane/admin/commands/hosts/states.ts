import type { Command } from 'commander';
import { countOf } from '../../../../shared/count.js';
import type { HostEvent } from '../../../hosts/domain/host.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, subcommand } from '../../command.js';
import type { AdminService } from '../../service.js';
import { firstDrainPage, nextDrainPage, withWait } from './drain-wait.js';
import { changed, type SelectionOptions, selectionOf, withSelection } from './selection.js';

interface StateOptions extends SelectionOptions {
  readonly reason?: string;
  readonly yes?: boolean;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly page?: string;
}

export function addStateCommands(host: Command, action: Action): void {
  const reason = ['--reason <text>', 'shown in host list until the host is undrained'] as const;
  const states: Record<Exclude<HostEvent, 'approve'>, Command> = {
    drain: withWait(subcommand(host, 'drain [host...]', 'let builds end, send no new ones, make no new Macs')).option(
      ...reason,
    ),
    cordon: subcommand(host, 'cordon [host...]', 'make no new Macs there; those that are rented go on').option(
      ...reason,
    ),
    undrain: subcommand(host, 'undrain [host...]', 'end a drain or a cordon'),
    remove: subcommand(host, 'remove [host...]', 'take away its credential and disconnect it at once').option(
      '--yes',
      'needed to remove more than one host, or hosts that are not named',
    ),
  };
  for (const [event, command] of Object.entries(states) as [HostEvent, Command][]) {
    withSelection(command).action(
      action<StateOptions>(async (service, options, ...refs) => {
        const { hosts, operator } = service;
        if (options.page !== undefined) return nextDrainPage(service, options.page);
        if (options.timeout !== undefined && !options.wait) {
          throw new ApiError('invalid_request', { message: '--timeout is for --wait.' });
        }
        const selection = selectionOf(refs, options);
        if (event === 'remove' && !options.yes && refs.length !== 1) await refuseWithoutYes(service, selection);
        const changes = await hosts.changeAll(selection, event, { reason: options.reason, by: operator });
        return options.wait ? firstDrainPage(service, changes, options.timeout) : changed(changes);
      }),
    );
  }
}

async function refuseWithoutYes({ hosts }: AdminService, selection: ReturnType<typeof selectionOf>): Promise<never> {
  const selected = await hosts.select(selection);
  const names = selected.map(({ name, hostId }) => `${name} (${hostId})`).join(', ');
  throw new ApiError('invalid_request', {
    message: `This removes ${countOf(selected.length, 'host')}: ${names}. Give --yes to do it.`,
  });
}
