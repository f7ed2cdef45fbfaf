// How commands select hosts, and what they print about each.
import { type Command, InvalidArgumentError } from 'commander';
import type { HostSelection } from '../../../hosts/app/host-selector.js';
import type { HostChange } from '../../../hosts/domain/host-change.js';
import { hostView } from '../../../hosts/http/host-view.js';
import { table } from '../../command.js';

/** Options of a command that selects hosts; for its action, beside the arguments. */
export interface SelectionOptions {
  readonly all?: boolean;
  readonly tier?: string;
  readonly label?: Readonly<Record<string, string>>;
}

/** Adds the options to a command whose arguments are `[host...]`. */
export function withSelection(command: Command): Command {
  return command
    .option('--all', 'all hosts')
    .option('--tier <id>', 'hosts of this tier')
    .option('--label <key=value>', 'hosts with this label; several times: with all of them', keyAndValue);
}

/**
 * @example
 * withSelection(subcommand(host, 'drain [host...]', '…')).action(
 *   action<SelectionOptions>(async ({ hosts }, options, ...refs) => hosts.changeAll(selectionOf(refs, options), 'drain')),
 * );
 */
export const selectionOf = (hosts: readonly string[], { all, tier, label }: SelectionOptions): HostSelection => ({
  hosts,
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

/** Prints what was changed, host by host. */
export function changed(all: readonly HostChange[]) {
  return {
    json: {
      hosts: all.map(({ host, changes, leftOut }) => ({ ...hostView(host), changes, left_out: leftOut })),
    },
    text: table(all.map((one) => [one.host.name, one.host.hostId, changeText(one)])),
  };
}

/** @example 'status draining (was active), reason bad fan' */
function changeText({ host, changes, leftOut }: HostChange): string {
  if (leftOut !== null) return `left out: ${leftOut}`;
  if (changes.length === 0) return `no change: is ${host.status} already`;
  const was = (from: string | null) => (from === null ? '' : ` (was ${from})`);
  return changes.map(({ field, from, to }) => `${field} ${to ?? 'none'}${was(from)}`).join(', ');
}
