import { type Command, Option } from 'commander';
import { isRole, roles } from '../../domain/role.js';
import { type Action, type Output, subcommand } from '../command.js';

export function addUserCommands(program: Command, action: Action, output: Output): void {
  const user = program.command('user').description('people');

  subcommand(user, 'create', 'make a user; the password comes on standard input')
    .requiredOption('--email <address>', 'with which the person signs in')
    .requiredOption('--password-stdin', 'read the password from the first line of standard input')
    .option('--name <name>', "the person's name")
    .option('--org <org>', 'account that the person becomes a member of')
    .addOption(new Option('--role <role>', 'in that account').choices(roles).default('developer'))
    .option('--operator', 'the person runs the service: sees hosts and every account')
    .action(
      action<{ email: string; name?: string; org?: string; role: string; operator?: boolean }>(
        async ({ users, organizations }, { email, name, org, role, operator }) => {
          if (!isRole(role)) throw new Error(`no role ${role}`);
          const account = org === undefined ? null : await organizations.find(org);
          const made = await users.create({
            email,
            password: await output.readLine(),
            name,
            operator,
            membership: account ? { accountId: account.id, role } : undefined,
          });
          return { json: { user_id: made.userId, email: made.email }, text: `${made.userId} ${made.email}` };
        },
      ),
    );
}
