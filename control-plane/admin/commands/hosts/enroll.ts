import type { Command } from 'commander';
import { listEnrollments } from '../../../../client/operations/operator.js';
import { enrollHost, revokeToken } from '../../../hosts/http/operator-enrollment-changes.js';
import { type Cli, table } from '../../command.js';

export function addEnrollCommands(host: Command, cli: Cli): void {
  cli.operation(host, 'enroll', enrollHost, {
    async result(_run, answer, { reusable }) {
      const { token, expires_at, uses } = answer;
      const times = reusable ? ` for ${uses} ${uses === 1 ? 'host' : 'hosts'}` : '';
      return { json: answer, text: `${token}\nvalid until ${expires_at}${times}` };
    },
  });
  const token = host.command('token').description('tokens with which machines become hosts');
  cli.command(token, 'list', 'tokens that have not expired', async ({ client, show }) => {
    const { tokens } = await client.read(listEnrollments);
    const rows = tokens.map((one) => [
      one.id,
      one.state,
      `${one.used} of ${one.uses} used`,
      one.tier ?? 'no tier',
      `until ${one.expires_at}`,
    ]);
    show({ json: { tokens }, text: rows.length === 0 ? 'no token is valid' : table(rows) });
    return undefined;
  });
  cli.operation(token, 'revoke <id>', revokeToken, {
    text: ({ id, used }) => `${id} is revoked; it was used ${used} times`,
  });
}
