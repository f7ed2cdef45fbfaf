import type { Command } from 'commander';
import type { HostSettings } from '../../../hosts/app/host-settings.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, subcommand, trueOrFalse, wholeNumber } from '../../command.js';
import { changed, keyAndValue } from './selection.js';

type SettingOptions = Pick<HostSettings, 'tier' | 'slots' | 'shared' | 'conflictIsOver'> & {
  readonly label?: Readonly<Record<string, string>>;
  readonly all?: boolean;
  readonly ofTier?: string;
  readonly ofLabel?: Readonly<Record<string, string>>;
};

export function addSettingsCommands(host: Command, action: Action): void {
  // `--tier` and `--label` are values to set here, so hosts are selected with `--of-tier` and `--of-label`.
  subcommand(host, 'set [host...]', 'change settings of hosts')
    .option('--tier <id>', 'what its Macs are rented as; only while none is rented')
    .option('--slots <n>', 'Macs it may hold at a time; existing Macs stay', wholeNumber)
    .option('--shared <true|false>', 'whether it may serve several accounts at a time', trueOrFalse)
    .option('--label <key=value>', 'set a label; key= removes it; can be given several times', keyAndValue)
    .option('--conflict-is-over', 'no second agent uses its credential any more')
    .option('--all', 'all hosts')
    .option('--of-tier <id>', 'hosts of this tier')
    .option('--of-label <key=value>', 'hosts with this label; several times: with all of them', keyAndValue)
    .action(
      action<SettingOptions>(async ({ hosts }, options, ...refs) => {
        const { tier, slots, shared, label, conflictIsOver, all, ofTier, ofLabel } = options;
        const settings = {
          ...(tier === undefined ? {} : { tier }),
          ...(slots === undefined ? {} : { slots }),
          ...(shared === undefined ? {} : { shared }),
          ...(conflictIsOver ? { conflictIsOver } : {}),
          ...(label === undefined ? {} : { labels: withoutEmpty(label) }),
        };
        if (Object.keys(settings).length === 0) {
          throw new ApiError('invalid_request', {
            message: 'Nothing to set: give --tier, --slots, --shared, --label or --conflict-is-over.',
          });
        }
        return changed(await hosts.configureAll({ hosts: refs, all, tier: ofTier, labels: ofLabel }, settings));
      }),
    );

  subcommand(host, 'set-tier <host> <tier>', 'the same as set --tier').action(
    action(async ({ hosts }, _options, ref = '', tier = '') =>
      changed(await hosts.configureAll({ hosts: [ref] }, { tier })),
    ),
  );
}

/** An empty value removes the label. */
const withoutEmpty = (labels: Readonly<Record<string, string>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, value || null]));
