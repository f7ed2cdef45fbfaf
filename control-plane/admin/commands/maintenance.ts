import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Action, subcommand, table } from '../command.js';

export function addMaintenanceCommands(program: Command, action: Action): void {
  subcommand(program, 'backup <file>', 'write a consistent copy of the database, while the service goes on').action(
    action(async ({ backup }, _options, name = '') => {
      const file = resolve(name);
      await backup(file);
      return {
        json: { file },
        text: `${file}\nIt holds no secret in clear. Keep secret.key of the data folder too, elsewhere: without it the secrets cannot be read.`,
      };
    }),
  );

  const secrets = program.command('secrets').description('build secrets at rest');
  subcommand(secrets, 'rotate-key', 'create a new key and encrypt everything with it').action(
    action(async ({ rotateKey }) => {
      const { keyId, resealed, unreadable } = await rotateKey();
      const left =
        unreadable === 0 ? '' : `; ${unreadable} cannot be opened (cidermill admin secrets check lists them)`;
      return {
        json: { key_id: keyId, resealed, unreadable },
        text: `${keyId} is the key now; ${resealed} values moved${left}`,
      };
    }),
  );
  subcommand(secrets, 'check', 'list the sealed values that cannot be opened: build secrets, signing secrets').action(
    action(async ({ unreadableSecrets, organizations }) => {
      const found = await unreadableSecrets();
      const orgs = new Map((await organizations.list()).map((org) => [org.id, org]));
      return {
        json: {
          unreadable: found.map(({ accountId, kind, name, reason }) => ({
            org_id: orgs.get(accountId)?.orgId ?? null,
            kind,
            name,
            reason,
          })),
        },
        text:
          found.length === 0
            ? 'every sealed value can be opened'
            : table(
                found.map(({ accountId, kind, name, reason }) => [
                  orgs.get(accountId)?.slug ?? String(accountId),
                  kind,
                  name,
                  reason === 'damaged' ? 'damaged' : 'its key is not in the key file',
                ]),
              ),
      };
    }),
  );
}
