// POST /v1/leaked-keys: for GitHub's secret scanning, and for anybody who has found a key.
import { z } from 'zod';
import { parseJsonBody } from '../../platform/http/json-body.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { checkWhole } from '../../platform/http/validation.js';
import type { LeakedKeys } from '../app/leaked-keys.js';

export interface LeakedKeyRoutesDeps {
  readonly leakedKeys: LeakedKeys;
}

const found = z.object({ token: z.string() });

const labeled = z.array(
  z.object({
    token_hash: z.string(),
    token_type: z.string(),
    label: z.enum(['true_positive', 'false_positive']),
  }),
);

export function createLeakedKeyRoutes({ leakedKeys }: LeakedKeyRoutesDeps): AnyRoute[] {
  return [
    route<unknown, unknown, Buffer>({
      method: 'POST',
      path: '/v1/leaked-keys',
      operationId: 'reportLeakedKey',
      level: null,
      action: null,
      summary: 'Report leaked keys; each is revoked immediately',
      bodyBytes: true,
      responses: { 200: z.union([labeled, z.object({ revoked: z.boolean() })]) },
      errors: ['invalid_request', 'invalid_json', 'payload_too_large'],
      async handle({ body, headers, ip }) {
        const identifier = headers['github-public-key-identifier'];
        const signature = headers['github-public-key-signature'];
        if (typeof identifier === 'string' && typeof signature === 'string') {
          const results = await leakedKeys.reportSigned(body, { identifier, signature }, ip);
          return {
            status: 200,
            body: results.map(({ tokenHash, outcome }) => ({
              token_hash: tokenHash,
              token_type: 'cidermill_api_key',
              label: outcome === 'unknown' ? 'false_positive' : 'true_positive',
            })),
          };
        }
        const { token } = checkWhole(found, parseJsonBody(body) ?? {}, 'invalid_request');
        const outcome = await leakedKeys.report(token, ip);
        return { status: 200, body: { revoked: outcome === 'revoked' } };
      },
    }),
  ];
}
