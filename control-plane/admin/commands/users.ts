import { type Command, Option } from 'commander';
import { listUsers } from '../../../client/operations/operator.js';
import {
  createUser,
  endSessions,
  removeSecondFactors,
  resetPassword,
  setPassword,
  setWorkspaces,
} from '../../access/http/operator-user-changes.js';
import { type Cli, everyPage, type Run, table } from '../command.js';

export function addUserCommands(program: Command, cli: Cli): void {
  const user = program.command('user').description('people');
  const stdin = new Option('--password-stdin', 'read the password from the first line of standard input');
  // A password in an argument would be in the list of processes and in the history of the shell.
  const password = {
    without: ['password'],
    options: [stdin.makeOptionMandatory()],
    more: async ({ readLine }: Run) => ({ password: await readLine() }),
  };
  cli.operation(user, 'create', createUser, {
    ...password,
    description: 'create a user; the password comes on standard input',
    text: ({ user_id, email }) => `${user_id} ${email}`,
  });
  cli.operation(user, 'set-password <email>', setPassword, {
    ...password,
    description: 'give a person a new password, on standard input; their sessions end',
    text: ({ email }) => `${email} has a new password`,
  });
  cli.operation(user, 'reset-password <email>', resetPassword, {
    description: 'print a link with which a person chooses a new password',
    text: ({ reset_url, expires_at }) => `${reset_url}\nworks once, until ${expires_at}`,
  });
  cli.operation(user, 'end-sessions <email>', endSessions, {
    description: 'end all sessions of a person',
    text: ({ email, ended }) => `${email}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended`,
  });
  cli.operation(user, 'set-workspaces <email>', setWorkspaces, {
    text: ({ email, workspace_ids }) => `${email} sees ${workspace_ids.join(', ') || 'no workspace'}`,
  });
  cli.operation(user, 'remove-second-factors <email>', removeSecondFactors, {
    text: ({ email, removed }) =>
      removed ? `${email} signs in with the password alone` : `${email} does not use two-step sign-in`,
  });
  cli.command(user, 'list', 'all people, oldest first', async ({ client, show }) => {
    const users = await everyPage((cursor) => client.read(listUsers, { cursor }));
    show({
      json: { users },
      text: table(users.map((one) => [one.user_id, one.email, one.operator ? 'operator' : '', one.name ?? ''])),
    });
    return undefined;
  });
}
