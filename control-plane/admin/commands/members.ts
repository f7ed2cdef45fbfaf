import type { Command } from 'commander';
import { listMembers } from '../../../client/operations/operator.js';
import { inviteMember, removeMember, setMember } from '../../access/http/operator-member-changes.js';
import { type Cli, everyPage, table } from '../command.js';

/** Also for an organization without an owner, in which nobody else can make one. */
export function addMemberCommands(program: Command, cli: Cli): void {
  const member = program.command('member').description('members of organizations, and invitations');
  cli
    .command<{ org: string }>(
      member,
      'list',
      'members of an organization, in the order in which they joined',
      async ({ client, show }, { org }) => {
        const members = await everyPage((cursor) => client.read(listMembers, org, { cursor }));
        show({
          json: { members },
          text: table(members.map(({ user_id, email, role, name }) => [user_id, email, role, name ?? ''])),
        });
        return undefined;
      },
    )
    .requiredOption('--org <org>', 'organization: org_…, slug or number');
  cli.operation(member, 'invite <email>', inviteMember, {
    description: 'invite a person; the address to accept it is printed, and mailed',
    text: ({ email, expires_at, accept_url }) =>
      `${email} can accept the invitation until ${expires_at}:\n${accept_url}`,
  });
  cli.operation(member, 'set <email>', setMember, { text: ({ email, role }) => `${email} is ${role}` });
  cli.operation(member, 'remove <email>', removeMember, { text: ({ email }) => `${email} is no longer a member` });
}
