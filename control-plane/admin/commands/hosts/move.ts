import { type Command, Option } from 'commander';
import { moveHosts } from '../../../hosts/http/operator-host-changes.js';
import { ApiError } from '../../../platform/domain/error-catalog.js';
import type { Cli } from '../../command.js';
import { changedText } from './changed-text.js';

export function addMoveCommand(host: Command, cli: Cli): void {
  cli.operation(host, 'move-to [url] [hosts...]', moveHosts, {
    description: 'have hosts use another address of this service: URL HOST…',
    text: changedText,
    options: [new Option('--cancel', 'cancel the move of hosts that have not moved yet; takes no URL')],
    async more(_run, { url, hosts }, { cancel }) {
      if (cancel) return { url: null, hosts: [url, hosts].flat().filter((host) => host !== undefined) as string[] };
      if (url !== undefined) return {};
      throw new ApiError('invalid_request', { message: 'Give the new address, e.g. https://macs.example.' });
    },
  });
}
