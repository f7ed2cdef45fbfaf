// How commands select hosts, and what they print about each.
import { type Command, InvalidArgumentError } from 'commander';
import type { ChangedHosts } from '../../../../client/types.js';
import { table } from '../../command.js';

/** Options of a command that selects hosts; for its action, beside the arguments. */
export interface SelectionOptions {
  readonly all?: boolean;
  readonly tier?: string;
  readonly label?: Readonly<Record<string, string>>;
}

/** The fields of `selectionFields`, which the options give. */
export const SELECTION = ['hosts', 'all', 'tier', 'labels'] as const;

/** Adds the options to a command whose arguments are `[hosts...]`. */
export function withSelection(command: Command): Command {
  return command
    .option('--all', 'all hosts')
    .option('--tier <id>', 'hosts of this tier')
    .option('--label <key=value>', 'hosts with this label; several times: with all of them', keyAndValue);
}

/** Returns the selection of an operation. An empty list counts as absent. */
export const selectionOf = (hosts: readonly string[], { all, tier, label }: SelectionOptions) => ({
  hosts: [...hosts],
  all,
  tier,
  labels: label,
});

/** Collects an option that is given several times. */
export function keyAndValue(text: string, before: Readonly<Record<string, string>> = {}) {
  const [key = '', value] = text.split(/=(.*)/s);
  if (key === '' || value === undefined) throw new InvalidArgumentError('expected KEY=VALUE.');
  return { ...before, [key]: value };
}

/** Says what was changed, host by host. */
export const changedText = ({ hosts }: ChangedHosts): string =>
  table(hosts.map((one) => [one.name, one.host_id, changeText(one)]));

/** @example 'status draining (was active), reason bad fan' */
function changeText({ status, changes, left_out: leftOut }: ChangedHosts['hosts'][number]): string {
  if (leftOut !== null) return `left out: ${leftOut}`;
  if (changes.length === 0) return `no change: is ${status} already`;
  const was = (from: string | null) => (from === null ? '' : ` (was ${from})`);
  return changes.map(({ field, from, to }) => `${field} ${to ?? 'none'}${was(from)}`).join(', ');
}
