// GET /v1/processes of the operator API.
import { z } from 'zod';
import type { Processes } from '../../platform/app/processes.js';
import { type AnyRoute, route } from '../../platform/http/route.js';
import { count, time } from '../../platform/http/values.js';

const MOST = 1_000;

const processShape = z
  .object({
    process_id: z.string().meta({ description: 'Another one after each start' }),
    version: z.string(),
    schema: count.meta({ description: 'Newest migration that it knows' }),
    machine: z.string(),
    pid: count,
    started_at: time,
    seen_at: time.meta({ description: 'By the clock of the database, if several use it' }),
    connections: count.meta({ description: 'Hosts that are connected to it' }),
    lag_ms: count.meta({ description: 'How long its main thread kept work waiting lately, 99th percentile' }),
    workers: z.boolean().meta({ description: 'Whether it runs the workers, which one process does for all' }),
  })
  .meta({ id: 'ControlPlaneProcess' });

export function createProcessRoutes({ processes }: { readonly processes: Pick<Processes, 'list'> }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/processes',
      operationId: 'listProcesses',
      level: 'read',
      summary: 'Processes of the control plane, the oldest first; at most 1,000',
      responses: { 200: z.object({ processes: z.array(processShape) }).meta({ id: 'ControlPlaneProcesses' }) },
      async handle() {
        const found = (await processes.list()).slice(0, MOST).map((one) => ({
          process_id: one.processId,
          version: one.version,
          schema: one.schemaId,
          machine: one.machine,
          pid: one.pid,
          started_at: new Date(one.startedAt).toISOString(),
          seen_at: new Date(one.seenAt).toISOString(),
          connections: one.connections,
          lag_ms: one.lagMs,
          workers: one.workers,
        }));
        return { status: 200, body: { processes: found } };
      },
    }),
  ];
}
