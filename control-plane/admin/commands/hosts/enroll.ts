import { type Command, Option } from 'commander';
import { listEnrollments } from '../../../../client/operations/operator.js';
import { enrollHost, revokeToken } from '../../../hosts/http/operator-enrollment-changes.js';
import { type Cli, table } from '../../command.js';
import { keyAndValue } from './selection.js';

export function addEnrollCommands(host: Command, cli: Cli): void {
  let reusable = false;
  cli.operation(host, 'enroll', enrollHost, {
    without: ['labels'],
    options: [new Option('--label <key=value>', 'can be given several times').argParser(keyAndValue)],
    async more(_run, given, options) {
      reusable = given.reusable === true;
      return { labels: options.label as Record<string, string> | undefined };
    },
    text({ token, expires_at, uses }) {
      const times = reusable ? ` for ${uses} ${uses === 1 ? 'host' : 'hosts'}` : '';
      return `${token}\nvalid until ${expires_at}${times}`;
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
