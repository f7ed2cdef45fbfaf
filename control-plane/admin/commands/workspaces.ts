import type { Command } from 'commander';
import { type Action, subcommand, table } from '../command.js';

interface Named {
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: number;
}

const view = ({ workspaceId, name, createdAt }: Named) => ({
  workspace_id: workspaceId,
  name,
  created_at: new Date(createdAt).toISOString(),
});
const line = ({ workspaceId, name }: Named) => `${workspaceId} ${name}`;

export function addWorkspaceCommands(program: Command, action: Action): void {
  const workspace = program
    .command('workspace')
    .description('workspaces, which keep keys, builds and uploads of an account apart');

  subcommand(workspace, 'create', 'create a workspace')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .requiredOption('--name <name>', 'name, unique in the account')
    .action(
      action<{ org: string; name: string }>(async ({ organizations, workspaces }, { org, name }) => {
        const made = await workspaces.create((await organizations.find(org)).id, name);
        return { json: view(made), text: line(made) };
      }),
    );

  subcommand(workspace, 'list', 'workspaces of an account, oldest first')
    .requiredOption('--org <org>', 'account (org_…, slug or number)')
    .action(
      action<{ org: string }>(async ({ organizations, workspaces }, { org }) => {
        const all = await workspaces.list((await organizations.find(org)).id);
        return {
          json: { workspaces: all.map(view) },
          text: table(all.map(({ workspaceId, name }) => [workspaceId, name])),
        };
      }),
    );

  subcommand(workspace, 'rename <workspace_id>', 'rename a workspace')
    .requiredOption('--name <name>', 'name, unique in the account')
    .action(
      action<{ name: string }>(async ({ workspaces }, { name }, workspaceId = '') => {
        const renamed = await workspaces.rename(await workspaces.find(workspaceId), name);
        return { json: view(renamed), text: line(renamed) };
      }),
    );

  subcommand(
    workspace,
    'remove <workspace_id>',
    'remove a workspace without usable keys and unfinished builds; owners and admins can still read its builds',
  ).action(
    action(async ({ workspaces }, _options, workspaceId = '') => {
      await workspaces.remove(await workspaces.find(workspaceId));
      return { json: { workspace_id: workspaceId, removed: true }, text: `${workspaceId} is removed` };
    }),
  );
}
