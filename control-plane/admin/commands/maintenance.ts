import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Action, subcommand } from '../command.js';

export function addMaintenanceCommands(program: Command, action: Action): void {
  subcommand(
    program,
    'backup <file>',
    'write a consistent copy of the database, while the service goes on',
  ).action(
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
  subcommand(secrets, 'rotate-key', 'make a new key and seal everything anew under it').action(
    action(async ({ rotateKey }) => {
      const { keyId, resealed } = await rotateKey();
      return { json: { key_id: keyId, resealed }, text: `${keyId} is the key now; ${resealed} values moved` };
    }),
  );
}
