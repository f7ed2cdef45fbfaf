import type { Command } from 'commander';
import { setHosts } from '../../../hosts/http/operator-host-changes.js';
import type { Cli } from '../../command.js';
import { fieldOptions, fieldValues } from '../../operation-options.js';
import { changedText } from './changed-text.js';

const settings = setHosts.input.shape.set;
/** `--tier` and `--label` are values to set here, so hosts are selected with `--of-tier` and `--of-label`. */
const selection = setHosts.input.pick({ tier: true, labels: true });
const ofSelection = { prefix: 'of' };

export function addSettingsCommands(host: Command, cli: Cli): void {
  cli.operation(host, 'set [hosts...]', setHosts, {
    text: changedText,
    without: ['tier', 'labels', 'set'],
    options: [...fieldOptions(settings), ...fieldOptions(selection, ofSelection)],
    more: async (_run, _given, options) => ({
      ...fieldValues(selection, options, ofSelection),
      set: fieldValues(settings, options),
    }),
  });
  cli.command(
    host,
    'set-tier <host> <tier>',
    'the same as set --tier',
    async ({ client, show }, _options, ref = '', tier = '') => {
      const answer = await client.run(setHosts, { hosts: [ref], set: { tier } });
      show({ json: answer, text: changedText(answer) });
      return undefined;
    },
  );
}
