// GET and POST /v1/organizations/:org_id/api-keys, DELETE …/api-keys/:key_id.
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import { levels } from '../../platform/domain/caller.js';
import { normalizeCidr } from '../../platform/domain/cidr.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Role } from '../../platform/domain/role.js';
import { timeParam } from '../../platform/http/query.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { ApiKeys } from '../app/api-keys.js';
import type { ApiKey } from '../domain/api-key.js';
import { apiKeyShape, apiKeyView } from './api-key-view.js';
import { nameShape } from './name-shape.js';

export interface ApiKeyRoutesDeps {
  readonly apiKeys: ApiKeys;
  readonly clock: Clock;
  readonly limits: Limits;
}

const PATH = '/v1/organizations/:org_id/api-keys';
const administrators: readonly Role[] = ['owner', 'admin'];

export function createApiKeyRoutes({ apiKeys, clock, limits }: ApiKeyRoutesDeps): AnyRoute[] {
  const newKey = z.object({
    name: nameShape(limits),
    levels: z.array(z.enum(levels)).min(1).transform(unique),
    cidrs: z.array(rangeText).max(limits.key_cidrs).transform(unique).optional(),
    expires_at: timeParam()
      .refine((ms) => ms > clock.now(), 'expected a time in the future')
      .nullish(),
    workspace_id: z.string().nullish(),
  });

  return [
    route({
      method: 'GET',
      path: PATH,
      consoleOnly: true,
      roles: administrators,
      summary: 'API keys of the organization, newest first, including revoked and expired ones',
      responses: { 200: z.object({ data: z.array(apiKeyShape) }).meta({ id: 'ApiKeyList' }) },
      async handle({ caller }) {
        const found = await apiKeys.list(caller.account.id);
        return { status: 200, body: { data: found.map(apiKeyView) } };
      },
    }),
    route({
      method: 'POST',
      path: PATH,
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
      consoleOnly: true,
      roles: administrators,
      summary: 'Revoke a key immediately and permanently',
      params: z.object({ org_id: z.string(), key_id: z.string() }),
      responses: { 204: null },
      errors: ['not_found'],
      async handle({ caller, params, recordAction }) {
        const keys = await apiKeys.list(caller.account.id);
        if (!keys.some((key) => key.keyId === params.key_id)) throw new ApiError('not_found');
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
  if (range === null) context.addIssue('expected an address or a range such as 10.0.0.0/8');
  return range ?? '';
});
