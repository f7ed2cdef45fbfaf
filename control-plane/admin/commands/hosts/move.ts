import type { Command } from 'commander';
import { moveHosts } from '../../../hosts/http/operator-host-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import type { Cli, Run } from '../../command.js';
import { changedText, type SelectionOptions, selectionOf, withSelection } from './selection.js';

interface MoveOptions extends SelectionOptions {
  readonly cancel?: boolean;
}

export function addMoveCommand(host: Command, cli: Cli): void {
  const description = 'have hosts use another address of this service: URL HOST…';
  const move = cli
    .command<MoveOptions>(host, 'move-to [url-and-hosts...]', description, moveTo)
    .option('--cancel', 'cancel the move of hosts that have not moved yet; takes no URL');
  withSelection(move);
}

async function moveTo({ client, show }: Run, options: MoveOptions, ...given: string[]): Promise<undefined> {
  const url = options.cancel ? null : given[0];
  const hosts = options.cancel ? given : given.slice(1);
  if (url === undefined) {
    throw new ApiError('invalid_request', { message: 'Give the new address, e.g. https://macs.example.' });
  }
  const answer = await client.run(moveHosts, { ...selectionOf(hosts, options), url });
  show({ json: answer, text: changedText(answer) });
  return undefined;
}
