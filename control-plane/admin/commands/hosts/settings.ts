import { type Command, InvalidArgumentError } from 'commander';
import { setHosts } from '../../../hosts/http/operator-host-changes.js';
import type { Cli, Run } from '../../command.js';
import { wholeNumber } from '../../operation-options.js';
import { changedText, keyAndValue } from './selection.js';

interface SettingOptions {
  readonly tier?: string;
  readonly slots?: number;
  readonly shared?: boolean;
  readonly conflictIsOver?: true;
  readonly label?: Readonly<Record<string, string>>;
  readonly all?: boolean;
  readonly ofTier?: string;
  readonly ofLabel?: Record<string, string>;
}

export function addSettingsCommands(host: Command, cli: Cli): void {
  // `--tier` and `--label` are values to set here, so hosts are selected with `--of-tier` and `--of-label`.
  cli
    .command<SettingOptions>(host, 'set [hosts...]', 'change settings of hosts', set)
    .option('--tier <id>', 'tier of its Macs; changes only while none is rented')
    .option('--slots <n>', 'Macs that the host may have at a time; existing Macs stay', wholeNumber)
    .option('--shared <true|false>', 'whether the host may serve several accounts at a time', trueOrFalse)
    .option('--label <key=value>', 'set a label; key= removes it; can be given several times', keyAndValue)
    .option('--conflict-is-over', 'no second agent uses the credential of the host any more')
    .option('--all', 'all hosts')
    .option('--of-tier <id>', 'hosts of this tier')
    .option('--of-label <key=value>', 'hosts with this label; several times: with all of them', keyAndValue);
  const same = 'the same as set --tier';
  cli.command(host, 'set-tier <host> <tier>', same, (run, _options, ref = '', tier = '') => set(run, { tier }, ref));
}

async function set({ client, show }: Run, options: SettingOptions, ...hosts: string[]): Promise<undefined> {
  const { tier, slots, shared, label, conflictIsOver, all, ofTier, ofLabel } = options;
  const answer = await client.run(setHosts, {
    hosts,
    all,
    tier: ofTier,
    labels: ofLabel,
    set: { tier, slots, shared, conflict_is_over: conflictIsOver, labels: label && withoutEmpty(label) },
  });
  show({ json: answer, text: changedText(answer) });
  return undefined;
}

/** An empty value removes the label. */
const withoutEmpty = (labels: Readonly<Record<string, string>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, value || null]));

function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false.');
  return text === 'true';
}
