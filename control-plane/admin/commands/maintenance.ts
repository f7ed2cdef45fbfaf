import { resolve } from 'node:path';
import type { Command } from 'commander';
import { listUnreadableSecrets } from '../../../client/operations/operator.js';
import type { UnreadableSecrets } from '../../../client/types.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Cli, table } from '../command.js';
import { backup, rotateSecretsKey } from '../http/operator-maintenance.js';

export function addMaintenanceCommands(program: Command, cli: Cli): void {
  cli.operation(program, 'backup <file>', backup, {
    evenMoved: true,
    async more({ isRemote }, { file }) {
      if (isRemote) {
        throw new ApiError('invalid_request', {
          message: 'backup writes a file on the machine of the service: run it there, with --data.',
        });
      }
      return { file: resolve(String(file)) };
    },
    text: ({ file }) =>
      `${file}\nIt holds no secret in clear. Keep secret.key of the data folder too, elsewhere: without it the secrets cannot be read.`,
  });
  const secrets = program.command('secrets').description('encryption of the secrets in the database');
  cli.operation(secrets, 'rotate-key', rotateSecretsKey, {
    text({ key_id, resealed, unreadable }) {
      const left =
        unreadable === 0 ? '' : `; ${unreadable} cannot be decrypted (cidermill admin secrets check lists them)`;
      return `${key_id} is the key now; ${resealed} values moved${left}`;
    },
  });
  cli.command(
    secrets,
    'check',
    'list the encrypted values that cannot be decrypted: build secrets, signing secrets',
    async ({ client, show }) => {
      const found = await client.read(listUnreadableSecrets);
      show({ json: { unreadable: found.unreadable }, text: textOf(found) });
      return undefined;
    },
  );
}

function textOf({ unreadable, total }: UnreadableSecrets): string {
  if (total === 0) return 'every encrypted value can be decrypted';
  const rows = unreadable.map(({ org_slug, kind, name, reason }) => [
    org_slug ?? '-',
    kind,
    name,
    reason === 'damaged' ? 'damaged' : 'its key is not in the key file',
  ]);
  return total === rows.length ? table(rows) : `${table(rows)}\n${total - rows.length} more`;
}
