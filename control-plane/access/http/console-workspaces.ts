// GET and POST /v1/organizations/:org_id/workspaces, PATCH and DELETE …/workspaces/:workspace_id.
import { z } from 'zod';
import type { Caller } from '../../platform/domain/caller.js';
import type { Role } from '../../platform/domain/role.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';
import type { Workspace, Workspaces } from '../app/workspaces.js';

const PATH = '/v1/organizations/:org_id/workspaces';
const one = {
  path: `${PATH}/:workspace_id`,
  params: z.object({ org_id: z.string(), workspace_id: z.string() }),
};
const people: { consoleOnly: true; roles: readonly Role[] } = {
  consoleOnly: true,
  roles: ['owner', 'admin'],
};

const named = z.object({ name: z.string() });

const workspaceShape = z.object({ id: z.string(), name: z.string(), created_at: time }).meta({ id: 'Workspace' });

const listedWorkspaceShape = workspaceShape
  .extend({
    developers: count.meta({ description: 'Members who see it, without owners and admins, who see all' }),
    keys: count.meta({ description: 'Number of keys that can be used' }),
  })
  .meta({ id: 'ListedWorkspace' });

const own = ({ account }: Caller, params: { workspace_id: string }) => ({
  accountId: account.id,
  workspaceId: params.workspace_id,
});

const workspaceView = ({ workspaceId, name, createdAt }: Workspace): z.infer<typeof workspaceShape> => ({
  id: workspaceId,
  name,
  created_at: new Date(createdAt).toISOString(),
});

export function createWorkspaceRoutes({ workspaces }: { workspaces: Workspaces }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listWorkspaces',
      level: 'manage',
      ...people,
      summary: 'Workspaces of the organization, oldest first',
      responses: { 200: z.object({ data: z.array(listedWorkspaceShape) }).meta({ id: 'WorkspaceList' }) },
      async handle({ caller }) {
        const found = await workspaces.listWithUse(caller.account.id);
        const data = found.map(({ developers, keys, ...one }) => ({
          ...workspaceView(one),
          developers,
          keys,
        }));
        return { status: 200, body: { data } };
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      operationId: 'createWorkspace',
      level: 'manage',
      action: { name: 'workspace.create', made: 'id', concerns: ['workspaces', 'members'] },
      ...people,
      summary: 'Create a workspace',
      body: named,
      responses: { 201: workspaceShape },
      errors: ['invalid_request', 'workspaces_limit'],
      async handle({ caller, body, recordAction }) {
        const created = recordAction<Workspace>(({ workspaceId }) => ({ target: workspaceId }));
        const made = await workspaces.create(caller.account.id, body.name, created);
        return { status: 201, body: workspaceView(made) };
      },
    }),
    route({
      method: 'PATCH',
      ...one,
      operationId: 'renameWorkspace',
      level: 'manage',
      action: { name: 'workspace.rename', concerns: ['workspaces', 'members'] },
      ...people,
      summary: 'Rename a workspace',
      body: named,
      responses: { 200: workspaceShape },
      errors: ['not_found', 'invalid_request'],
      async handle({ caller, params, body, recordAction }) {
        const renamed = await workspaces.rename(own(caller, params), body.name, recordAction());
        return { status: 200, body: workspaceView(renamed) };
      },
    }),
    route({
      method: 'DELETE',
      ...one,
      operationId: 'removeWorkspace',
      level: 'manage',
      action: { name: 'workspace.remove', concerns: ['workspaces', 'members'] },
      ...people,
      summary:
        'Remove a workspace without active keys and unfinished builds; owners and admins can still read its builds',
      responses: { 204: null },
      errors: ['not_found', 'last_workspace', 'workspace_in_use'],
      async handle({ caller, params, recordAction }) {
        await workspaces.remove(own(caller, params), recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}
