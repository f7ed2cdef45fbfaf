// Workspaces of an organization, as operators read and change them.
import { z } from 'zod';
import { operation } from '../../platform/http/operation.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { time } from '../../platform/http/values.js';
import type { Organizations } from '../app/organizations.js';
import type { Workspace, Workspaces } from '../app/workspaces.js';
import { organizationOf, orgField } from './organization-view.js';

interface Deps {
  readonly workspaces: Workspaces;
  readonly organizations: Organizations;
}

const workspaceShape = z
  .object({ workspace_id: z.string(), name: z.string(), created_at: time })
  .meta({ id: 'OperatorWorkspace' });

const workspaceView = ({ workspaceId, name, createdAt }: Workspace): z.infer<typeof workspaceShape> => ({
  workspace_id: workspaceId,
  name,
  created_at: new Date(createdAt).toISOString(),
});

export function createOperatorWorkspaceRoutes({ workspaces, organizations }: Deps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/workspaces',
      operationId: 'listWorkspaces',
      level: 'read',
      summary: 'Workspaces of an organization, the oldest first',
      params: z.object({ org_id: z.string() }),
      responses: { 200: z.object({ workspaces: z.array(workspaceShape) }).meta({ id: 'OperatorWorkspaces' }) },
      async handle({ params }) {
        const all = await workspaces.list((await organizations.find(params.org_id)).id);
        return { status: 200, body: { workspaces: all.map(workspaceView) } };
      },
    }),
  ];
}

const concerns = ['workspaces', 'members'] as const;
const name = z.string().meta({ description: 'Name, unique in the organization' });
const workspace_id = z.string().meta({ description: 'Id of the workspace' });
const subjectOf = ({ workspaceId, accountId }: Workspace) => ({ target: workspaceId, accountId });

export const createWorkspace = operation<Deps>()({
  name: 'workspace.create',
  summary: 'Create a workspace',
  input: z.object({ org: orgField, name }),
  output: workspaceShape,
  audit: { name: 'workspace.create', concerns },
  confirm: false,
  access: 'token',
  errors: ['not_found', 'invalid_request', 'workspaces_limit'],
  async run(deps, { org, name }, context) {
    const { id } = await organizationOf(deps, org, context);
    return workspaceView(await deps.workspaces.create(id, name, context.record(subjectOf)));
  },
});

export const renameWorkspace = operation<Deps>()({
  name: 'workspace.rename',
  summary: 'Rename a workspace',
  input: z.object({ workspace_id, name }),
  output: workspaceShape,
  audit: { name: 'workspace.rename', concerns },
  confirm: false,
  access: 'token',
  errors: ['not_found', 'invalid_request'],
  async run({ workspaces }, { workspace_id, name }, { record, concerns }) {
    concerns({ target: workspace_id });
    return workspaceView(await workspaces.rename(await workspaces.find(workspace_id), name, record(subjectOf)));
  },
});

export const removeWorkspace = operation<Deps>()({
  name: 'workspace.remove',
  summary: 'Remove a workspace without active keys and unfinished builds; owners and admins can still read its builds',
  input: z.object({ workspace_id }),
  output: z.object({ workspace_id: z.string(), removed: z.literal(true) }),
  audit: { name: 'workspace.remove', concerns },
  confirm: false,
  access: 'token',
  errors: ['not_found', 'last_workspace', 'workspace_in_use'],
  async run({ workspaces }, { workspace_id }, { record, concerns }) {
    concerns({ target: workspace_id });
    const found = await workspaces.find(workspace_id);
    await workspaces.remove(
      found,
      record(() => subjectOf(found)),
    );
    return { workspace_id, removed: true as const };
  },
});

export const workspaceOperations = [createWorkspace, renameWorkspace, removeWorkspace];
