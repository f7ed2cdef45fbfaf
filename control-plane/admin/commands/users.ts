import { type Command, Option } from 'commander';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { isRole, roles } from '../../platform/domain/role.js';
import { type Action, list, type Output, subcommand, table } from '../command.js';

export function addUserCommands(program: Command, action: Action, output: Output): void {
  const user = program.command('user').description('people');

  subcommand(user, 'create', 'make a user; the password comes on standard input')
    .requiredOption('--email <address>', 'with which the person signs in')
    .requiredOption('--password-stdin', 'read the password from the first line of standard input')
    .option('--name <name>', "the person's name")
    .option('--org <org>', 'account that the person becomes a member of')
    .addOption(new Option('--role <role>', 'in that account').choices(roles).default('developer'))
    .option(
      '--workspaces <ids>',
      "workspaces that a developer sees, separated by commas (default: the account's first one)",
      list,
    )
    .option('--operator', 'the person runs the service: sees hosts and every account')
    .action(
      action<{
        email: string;
        name?: string;
        org?: string;
        role: string;
        workspaces?: string[];
        operator?: boolean;
      }>(async ({ users, organizations }, { email, name, org, role, workspaces, operator }) => {
        if (!isRole(role)) throw new Error(`no role ${role}`);
        if (workspaces && org === undefined) {
          throw new ApiError('invalid_request', { message: '--workspaces needs --org.' });
        }
        const account = org === undefined ? null : await organizations.find(org);
        const made = await users.create({
          email,
          password: await output.readLine(),
          name,
          operator,
          membership: account ? { accountId: account.id, role, workspaceIds: workspaces } : undefined,
        });
        return { json: { user_id: made.userId, email: made.email }, text: `${made.userId} ${made.email}` };
      }),
    );

  subcommand(user, 'set-password <email>', 'give a person a new password, on standard input; their sessions end')
    .requiredOption('--password-stdin', 'read the password from the first line of standard input')
    .action(
      action(async ({ users }, _options, email = '') => {
        const person = await users.setPassword(email, await output.readLine());
        return {
          json: { user_id: person.userId, email: person.email },
          text: `${person.email} has a new password`,
        };
      }),
    );

  addSetWorkspaces(user, action);

  subcommand(user, 'list', 'everybody, oldest first').action(
    action(async ({ users }) => {
      const everybody = await users.list();
      return {
        json: {
          users: everybody.map(({ userId, email, name, operator, createdAt }) => ({
            user_id: userId,
            email,
            name,
            operator,
            created_at: new Date(createdAt).toISOString(),
          })),
        },
        text: table(
          everybody.map(({ userId, email, name, operator }) => [userId, email, operator ? 'operator' : '', name ?? '']),
        ),
      };
    }),
  );
}

function addSetWorkspaces(user: Command, action: Action): void {
  subcommand(user, 'set-workspaces <email>', 'set the workspaces that a developer sees; owners and admins see all')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .requiredOption('--workspaces <ids>', 'separated by commas; empty for none', list)
    .action(
      action<{ org: string; workspaces: string[] }>(
        async ({ members, organizations }, { org, workspaces }, email = '') => {
          const member = await members.find((await organizations.find(org)).id, email);
          const person = await members.change(member, { workspaceIds: workspaces }, 'operator');
          return {
            json: { user_id: person.userId, email: person.email, workspace_ids: workspaces },
            text: `${person.email} sees ${workspaces.join(', ') || 'no workspace'}`,
          };
        },
      ),
    );
}
