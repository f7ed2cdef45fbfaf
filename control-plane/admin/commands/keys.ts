import type { Command } from 'commander';
import { listApiKeys } from '../../../client/operations/operator.js';
import type { ApiKey } from '../../../client/types.js';
import { createKey, revokeKey } from '../../access/http/operator-keys.js';
import { type Cli, everyPage, table } from '../command.js';

export function addKeyCommands(program: Command, cli: Cli): void {
  const key = program.command('key').description('API keys');
  cli.operation(key, 'create', createKey, {
    description: 'create a key and show it, this once only',
    text: ({ key_id, key }) => `${key_id} ${key}`,
  });
  cli
    .command<{ org: string }>(
      key,
      'list',
      'keys of an organization, without their secret part',
      async ({ client, show }, { org }) => {
        const keys = await everyPage((cursor) => client.read(listApiKeys, org, { cursor }));
        show({ json: { keys: keys.map(listed) }, text: table(keys.map(row)) });
        return undefined;
      },
    )
    .requiredOption('--org <org>', 'organization: org_…, slug or number');
  cli.operation(key, 'revoke <key_id>', revokeKey, { text: ({ key_id }) => `${key_id} is revoked` });
}

const listed = ({ id, ...one }: ApiKey) => ({ key_id: id, ...one });

const row = (one: ApiKey): string[] => [
  one.id,
  `${one.prefix}…`,
  one.levels.join(','),
  one.revoked_at === null ? 'active' : `revoked (${one.revoked_reason})`,
  one.name,
];
