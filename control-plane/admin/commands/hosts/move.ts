import type { Command } from 'commander';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import { type Action, subcommand } from '../../command.js';
import { changed, type SelectionOptions, selectionOf, withSelection } from './selection.js';

interface MoveOptions extends SelectionOptions {
  readonly cancel?: boolean;
}

export function addMoveCommand(host: Command, action: Action): void {
  withSelection(
    subcommand(host, 'move-to [url-and-hosts...]', 'have hosts use another address of this service: URL HOST…').option(
      '--cancel',
      'cancel the move of hosts that have not moved yet; takes no URL',
    ),
  ).action(
    action<MoveOptions>(async ({ hosts }, options, ...given) => {
      const url = options.cancel ? null : given[0];
      const refs = options.cancel ? given : given.slice(1);
      if (url === undefined) {
        throw new ApiError('invalid_request', {
          message: 'Give the new address, e.g. https://macs.example.',
        });
      }
      return changed(await hosts.moveAll(selectionOf(refs, options), url));
    }),
  );
}
