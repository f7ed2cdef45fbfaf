// GET /v1/upgrade of the operator API.
import { z } from 'zod';
import type { Packages } from '../../packages/app/packages.js';
import type { Limits } from '../../platform/domain/limits.js';
import { pageParams } from '../../platform/http/page.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Rollouts } from '../app/rollouts.js';
import { rolloutShape, rolloutView } from './rollout-view.js';

export function createOperatorUpgradeRoutes(deps: {
  readonly rollouts: Pick<Rollouts, 'show'>;
  readonly packages: Pick<Packages, 'all'>;
  readonly limits: Limits;
}): AnyRoute[] {
  const { rollouts, packages, limits } = deps;
  return [
    route({
      method: 'GET',
      path: '/v1/upgrade',
      operationId: 'getUpgrade',
      level: 'read',
      summary: 'The newest upgrade of agents, and the versions that the service has',
      query: z.object({
        limit: pageParams(limits).limit.meta({ description: 'Of hosts' }),
        hosts: z.enum(['all']).optional().meta({ description: 'All hosts, in the order in which they are upgraded' }),
      }),
      responses: {
        200: z
          .object({
            upgrade: rolloutShape.nullable(),
            versions: z.array(z.string()).meta({ description: 'The newest first' }),
          })
          .meta({ id: 'AgentUpgrade' }),
      },
      async handle({ query: { limit = limits.list_limit_default, hosts } }) {
        const shown = await rollouts.show();
        const agents = (await packages.all()).filter(({ kind }) => kind === 'host-agent');
        const versions = [...new Set(agents.map(({ version }) => version))];
        return {
          status: 200,
          body: { upgrade: shown && rolloutView(shown, hosts === 'all' ? undefined : limit), versions },
        };
      },
    }),
  ];
}
