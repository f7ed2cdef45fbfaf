// API keys of an organization, as operators read and change them.
import { z } from 'zod';
import { levels } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { operation } from '../../platform/http/operation.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ApiKeys } from '../app/api-keys.js';
import type { Organizations } from '../app/organizations.js';
import type { Workspaces } from '../app/workspaces.js';
import type { ApiKey } from '../domain/api-key.js';
import { apiKeyShape, apiKeyView } from './api-key-view.js';
import { organizationOf, orgField } from './organization-view.js';

interface Deps {
  readonly apiKeys: ApiKeys;
  readonly organizations: Organizations;
  readonly workspaces: Workspaces;
}

export function createOperatorKeyRoutes({ apiKeys, organizations, limits }: Deps & { limits: Limits }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/organizations/:org_id/api-keys',
      operationId: 'listApiKeys',
      level: 'read',
      summary: 'API keys of an organization without their secret part, the newest first',
      params: z.object({ org_id: z.string() }),
      query: z.object(pageParams(limits)),
      responses: {
        200: z.object({ data: z.array(apiKeyShape), next_cursor: nextCursor }).meta({ id: 'OperatorApiKeyPage' }),
      },
      async handle({ params, query: { limit = limits.list_limit_default, cursor = null } }) {
        const { id } = await organizations.find(params.org_id);
        const { keys } = await apiKeys.page(id, { after: cursor, limit: limit + 1 });
        const { page, next } = pageOf(keys, limit, ({ createdAt, keyId }) => ({ at: createdAt, id: keyId }));
        return { status: 200, body: { data: page.map(apiKeyView), next_cursor: next } };
      },
    }),
  ];
}

const subjectOf = ({ keyId, accountId }: ApiKey) => ({ target: keyId, accountId: accountId ?? undefined });

export const createKey = operation<Deps>()({
  name: 'key.create',
  summary: 'Create an API key; only this answer shows it',
  input: z.object({
    org: orgField,
    name: z.string().meta({ description: 'Name that says what the key is for' }),
    levels: z.array(z.enum(levels)).min(1).meta({ description: 'Any of read, build, manage' }),
    cidrs: z
      .array(z.string())
      .optional()
      .meta({ description: 'Address ranges from which it can be used; default: all' }),
    expires: timeParam()
      .optional()
      .meta({ format: 'date-time', description: 'When it expires, ISO 8601; default: never' }),
    workspace: z.string().optional().meta({ description: "Its workspace; default: the organization's first one" }),
  }),
  output: z.object({ key: z.string(), key_id: z.string() }),
  audit: { name: 'api_key.create', concerns: ['keys', 'workspaces'] },
  confirm: true,
  access: 'token',
  errors: ['not_found', 'invalid_request'],
  async run(deps, input, context) {
    const { id: accountId } = await organizationOf(deps, input.org, context);
    const workspaceId = input.workspace ?? (await deps.workspaces.list(accountId))[0]?.workspaceId;
    if (workspaceId === undefined) throw new Error(`the account ${accountId} has no workspace`);
    const made = await deps.apiKeys.create(
      {
        accountId,
        workspaceId,
        name: input.name,
        levels: [...new Set(input.levels)],
        cidrs: input.cidrs ?? [],
        expiresAt: input.expires ?? null,
      },
      context.record(subjectOf),
    );
    return { key: made.key, key_id: made.record.keyId };
  },
});

export const revokeKey = operation<Deps>()({
  name: 'key.revoke',
  summary: 'Revoke a key immediately and permanently',
  input: z.object({ key_id: z.string().meta({ description: 'Id of the key' }) }),
  output: z.object({ key_id: z.string(), revoked: z.literal(true) }),
  audit: { name: 'api_key.revoke', concerns: ['keys', 'workspaces'] },
  confirm: false,
  access: 'token',
  errors: ['not_found'],
  async run({ apiKeys }, { key_id }, { record, concerns }) {
    concerns({ target: key_id });
    if (!(await apiKeys.revoke({ keyId: key_id }, 'manual', record(subjectOf)))) {
      throw new ApiError('not_found', { message: `There is no key ${key_id} that is not revoked yet.` });
    }
    return { key_id, revoked: true as const };
  },
});

export const keyOperations = [createKey, revokeKey];
