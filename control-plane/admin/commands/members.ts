import { type Command, Option } from 'commander';
import type { Member } from '../../access/domain/member.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type Role, roles } from '../../platform/domain/role.js';
import { type Action, list, subcommand, table } from '../command.js';

const view = ({ userId, email, name, role, workspaceIds, joinedAt }: Member) => ({
  user_id: userId,
  email,
  name,
  role,
  workspace_ids: workspaceIds,
  joined_at: new Date(joinedAt).toISOString(),
});

const roleOption = (about: string) => new Option('--role <role>', about).choices(roles);

/** Also for an organization without an owner, in which nobody else can make one. */
export function addMemberCommands(program: Command, action: Action): void {
  const member = program.command('member').description('members of accounts, and invitations');

  subcommand(member, 'list', 'members of an account, in the order in which they joined')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .action(
      action<{ org: string }>(async ({ organizations, members }, { org }) => {
        const all = await members.list((await organizations.find(org)).id);
        return {
          json: { members: all.map(view) },
          text: table(all.map(({ userId, email, role, name }) => [userId, email, role, name ?? ''])),
        };
      }),
    );

  subcommand(member, 'invite <email>', 'invite a person; the address to accept it is printed, and mailed')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .addOption(roleOption('in that account').default('developer'))
    .option('--workspaces <ids>', "workspaces that a developer sees (default: the account's first one)", list)
    .action(
      action<{ org: string; role: Role; workspaces?: string[] }>(
        async ({ organizations, invites }, { org, role, workspaces }, email = '') => {
          const { id } = await organizations.find(org);
          const invite = await invites.create(id, { email, role, workspaceIds: workspaces }, 'operator');
          const expires = new Date(invite.expiresAt).toISOString();
          return {
            json: {
              id: invite.inviteId,
              email: invite.email,
              accept_url: invite.acceptUrl,
              expires_at: expires,
            },
            text: `${invite.email} can accept the invitation until ${expires}:\n${invite.acceptUrl}`,
          };
        },
      ),
    );

  subcommand(member, 'set <email>', 'change the role of a member, or the workspaces that a developer sees')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .addOption(roleOption('new role'))
    .option('--workspaces <ids>', 'separated by commas; empty for none', list)
    .action(
      action<{ org: string; role?: Role; workspaces?: string[] }>(
        async ({ organizations, members }, { org, role, workspaces }, email = '') => {
          if (role === undefined && workspaces === undefined) {
            throw new ApiError('invalid_request', { message: 'Give --role or --workspaces.' });
          }
          const found = await members.find((await organizations.find(org)).id, email);
          const changed = await members.change(found, { role, workspaceIds: workspaces }, 'operator');
          return { json: view(changed), text: `${changed.email} is ${changed.role}` };
        },
      ),
    );

  subcommand(member, 'remove <email>', 'remove a member, who loses access at once; keys they created stay')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .action(
      action<{ org: string }>(async ({ organizations, members }, { org }, email = '') => {
        const found = await members.find((await organizations.find(org)).id, email);
        await members.remove(found, 'operator');
        return { json: { ...view(found), removed: true }, text: `${found.email} is no member any more` };
      }),
    );
}
