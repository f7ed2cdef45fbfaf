import { type Command, Option } from 'commander';
import { cordonHosts, drainHosts, removeHosts, undrainHosts } from '../../../hosts/http/operator-host-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import type { Cli } from '../../command.js';
import { wholeNumber } from '../../operation-options.js';
import { changedText } from './changed-text.js';
import { WAIT_HELP, waitForDrain } from './drain-wait.js';

interface DrainOptions {
  readonly wait?: boolean;
  readonly timeout?: number;
}

export function addStateCommands(host: Command, cli: Cli): void {
  const how = { text: changedText };
  const drain = cli.operation(host, 'drain [hosts...]', drainHosts, {
    ...how,
    options: [
      new Option('--wait', 'show progress until no build runs there; Ctrl-C stops the progress, not the drain'),
      new Option('--timeout <minutes>', 'how long --wait waits at most').argParser(wholeNumber),
    ],
    async more(_run, _given, { timeout, wait }: DrainOptions) {
      if (timeout !== undefined && !wait) {
        throw new ApiError('invalid_request', { message: '--timeout is for --wait.' });
      }
      return {};
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
  drain.addHelpText('after', WAIT_HELP);
  cli.operation(host, 'cordon [hosts...]', cordonHosts, how);
  cli.operation(host, 'undrain [hosts...]', undrainHosts, how);
  cli.operation(host, 'remove [hosts...]', removeHosts, {
    ...how,
    without: ['confirmed'],
    options: [new Option('--yes', 'needed to remove more than one host, or hosts that are not named')],
    more: async (_run, _given, { yes = false }: { readonly yes?: boolean }) => ({ confirmed: yes }),
  });
}
