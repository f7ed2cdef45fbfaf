import type { Command } from 'commander';
import type { HostSettings } from '../../../hosts/app/host-settings.js';
import { type Action, subcommand, trueOrFalse, wholeNumber } from '../../command.js';
import { shown } from './view.js';

export function addSettingsCommands(host: Command, action: Action): void {
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
}
