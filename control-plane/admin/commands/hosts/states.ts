import { type Command, Option } from 'commander';
import { cordonHosts, drainHosts, removeHosts, undrainHosts } from '../../../hosts/http/operator-host-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import type { Cli } from '../../command.js';
import { wholeNumber } from '../../operation-options.js';
import { WAIT_HELP, waitForDrain } from './drain-wait.js';
import { changedText, SELECTION, type SelectionOptions, selectionOf, withSelection } from './selection.js';

interface DrainOptions extends SelectionOptions {
  readonly wait?: boolean;
  readonly timeout?: number;
}

/** `hosts` are arguments, which `given` has. */
const selected = (given: Record<string, unknown>, options: SelectionOptions) =>
  selectionOf((given.hosts as string[] | undefined) ?? [], options);

export function addStateCommands(host: Command, cli: Cli): void {
  const how = { text: changedText, without: SELECTION };
  const drain = cli.operation(host, 'drain [hosts...]', drainHosts, {
    ...how,
    options: [
      new Option('--wait', 'show progress until no build runs there; Ctrl-C stops the progress, not the drain'),
      new Option('--timeout <minutes>', 'how long --wait waits at most').argParser(wholeNumber),
    ],
    async more(_run, given, options: DrainOptions) {
      if (options.timeout !== undefined && !options.wait) {
        throw new ApiError('invalid_request', { message: '--timeout is for --wait.' });
      }
      return selected(given, options);
    },
    async after(run, { hosts }, { wait, timeout }: DrainOptions) {
      if (!wait) return undefined;
      const drained = hosts.filter(({ left_out }) => left_out === null);
      return waitForDrain(
        run,
        drained.map(({ host_id }) => host_id),
        timeout,
      );
    },
  });
  withSelection(drain).addHelpText('after', WAIT_HELP);
  const more = async (_run: unknown, given: Record<string, unknown>, options: SelectionOptions) =>
    selected(given, options);
  withSelection(cli.operation(host, 'cordon [hosts...]', cordonHosts, { ...how, more }));
  withSelection(cli.operation(host, 'undrain [hosts...]', undrainHosts, { ...how, more }));
  withSelection(
    cli.operation(host, 'remove [hosts...]', removeHosts, {
      text: changedText,
      without: [...SELECTION, 'confirmed'],
      options: [new Option('--yes', 'needed to remove more than one host, or hosts that are not named')],
      more: async (_run, given, options: SelectionOptions & { readonly yes?: boolean }) => ({
        ...selected(given, options),
        confirmed: options.yes ?? false,
      }),
    }),
  );
}
