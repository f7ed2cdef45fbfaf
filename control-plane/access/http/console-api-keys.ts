// GET and POST /v1/organizations/:org_id/api-keys, DELETE …/api-keys/:key_id.

import { z } from 'zod';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Core } from '../../platform/app/core.js';
import { levels } from '../../platform/domain/caller.js';
import { normalizeCidr } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Role } from '../../platform/domain/role.js';
import { because, issueBecause } from '../../platform/http/issue-problem.js';
import { nextCursor, pageOf, pageParams } from '../../platform/http/page.js';
import { timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count } from '../../platform/http/values.js';
import type { ApiKeys } from '../app/api-keys.js';
import type { ApiKey } from '../domain/api-key.js';
import { apiKeyShape, apiKeyView } from './api-key-view.js';
import { nameShape } from './name-shape.js';

export interface ApiKeyRoutesDeps extends Pick<Core, 'clock' | 'limits'> {
  readonly apiKeys: ApiKeys;
}

const PATH = '/v1/organizations/:org_id/api-keys';
const administrators: readonly Role[] = ['owner', 'admin'];

export function createApiKeyRoutes({ apiKeys, clock, limits }: ApiKeyRoutesDeps): AnyRoute[] {
  const newKey = z.object({
    name: nameShape(limits),
    levels: z.array(z.enum(levels)).min(1).transform(unique),
    cidrs: z.array(rangeText).max(limits.key_cidrs).transform(unique).optional(),
    expires_at: timeParam()
      .refine((ms) => ms > clock.now(), because(fieldProblem('in_the_past')))
      .nullish(),
    workspace_id: z.string().nullish(),
  });

  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listApiKeys',
      level: 'manage',
      consoleOnly: true,
      roles: administrators,
      summary: 'API keys of the organization, newest first, including revoked and expired ones',
      query: z.object({
        ...pageParams(limits),
        state: z
          .enum(['usable', 'leaked'])
          .optional()
          .meta({ description: 'usable: neither revoked nor expired; leaked: found in public' }),
        created_by: z.string().optional().meta({ description: 'User id' }),
        workspace_id: z.string().optional(),
      }),
      responses: {
        200: z
          .object({
            data: z.array(apiKeyShape),
            total: count.meta({ description: 'Of all keys, regardless of the query' }),
            next_cursor: nextCursor,
          })
          .meta({ id: 'ApiKeyList' }),
      },
      async handle({ caller, query: { limit = limits.list_limit_default, cursor, ...filter } }) {
        const { keys, total } = await apiKeys.page(caller.account.id, {
          state: filter.state,
          createdBy: filter.created_by,
          workspaceId: filter.workspace_id,
          after: cursor ?? null,
          limit: limit + 1,
        });
        const { page, next } = pageOf(keys, limit, ({ createdAt, keyId }) => ({ at: createdAt, id: keyId }));
        return { status: 200, body: { data: page.map(apiKeyView), total, next_cursor: next } };
      },
    }),
    route({
      method: 'POST',
      path: PATH,
      operationId: 'createApiKey',
      level: 'manage',
      action: { name: 'api_key.create', made: 'id', concerns: ['keys', 'workspaces'] },
      confirm: true,
      consoleOnly: true,
      roles: administrators,
      summary: 'Create an API key; it is shown only in this response',
      body: newKey,
      responses: { 201: apiKeyShape.extend({ key: z.string() }).meta({ id: 'NewApiKey' }) },
      errors: ['invalid_request', 'keys_limit'],
      async handle({ caller, session, body, recordAction }) {
        const created = recordAction<ApiKey>(({ keyId }) => ({ target: keyId }));
        const input = {
          accountId: caller.account.id,
          workspaceId: body.workspace_id ?? caller.workspaceId,
          name: body.name,
          levels: body.levels,
          cidrs: body.cidrs ?? [],
          expiresAt: body.expires_at ?? null,
          createdBy: session.userId,
          most: limits.keys,
        };
        const { key, record } = await apiKeys.create(input, created);
        return { status: 201, body: { ...apiKeyView({ ...record, creator: session.email }), key } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:key_id`,
      operationId: 'revokeApiKey',
      level: 'manage',
      action: { name: 'api_key.revoke', concerns: ['keys', 'workspaces'] },
      confirm: true,
      consoleOnly: true,
      roles: administrators,
      summary: 'Revoke a key immediately and permanently',
      params: z.object({ org_id: z.string(), key_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ caller, params, recordAction }) {
        if (!(await apiKeys.find(caller.account.id, params.key_id))) throw new ApiError('not_found');
        // A key that was revoked before stays as it is.
        await apiKeys.revoke({ keyId: params.key_id }, 'manual', recordAction());
        return { status: 204, body: null };
      },
    }),
  ];
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

const rangeText = z.string().transform((text, context) => {
  const range = normalizeCidr(text);
  if (range === null) context.addIssue(issueBecause(fieldProblem('invalid_range', { value: text })));
  return range ?? '';
});
