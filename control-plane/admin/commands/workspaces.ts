import type { Command } from 'commander';
import { listWorkspaces } from '../../../client/operations/operator.js';
import { createWorkspace, removeWorkspace, renameWorkspace } from '../../access/http/operator-workspaces.js';
import { type Cli, table } from '../command.js';

export function addWorkspaceCommands(program: Command, cli: Cli): void {
  const workspace = program
    .command('workspace')
    .description('workspaces, which keep keys, builds and uploads of an organization apart');
  const text = ({ workspace_id, name }: { workspace_id: string; name: string }) => `${workspace_id} ${name}`;
  cli.operation(workspace, 'create', createWorkspace, { text });
  cli
    .command<{ org: string }>(
      workspace,
      'list',
      'workspaces of an organization, oldest first',
      async ({ client, show }, { org }) => {
        const { workspaces } = await client.read(listWorkspaces, org);
        show({
          json: { workspaces },
          text: table(workspaces.map(({ workspace_id, name }) => [workspace_id, name])),
        });
        return undefined;
      },
    )
    .requiredOption('--org <org>', 'organization: org_…, slug or number');
  cli.operation(workspace, 'rename <workspace_id>', renameWorkspace, { text });
  cli.operation(workspace, 'remove <workspace_id>', removeWorkspace, {
    text: ({ workspace_id }) => `${workspace_id} is removed`,
  });
}
