// GET /jobs/:job_id: the progress of a reset, an Xcode change or a setup.
import { z } from 'zod';
import { type AnyRoute, route } from '../../platform/http/route.js';
import type { Jobs } from '../app/jobs.js';
import { jobShape, jobView } from './jobs-view.js';

export interface JobRoutesDeps {
  readonly jobs: Jobs;
}

export function createJobRoutes({ jobs }: JobRoutesDeps): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/jobs/:job_id',
      operationId: 'getJob',
      level: 'read',
      summary: 'One job on a Mac',
      params: z.object({ job_id: z.string() }),
      responses: { 200: jobShape },
      errors: ['job_not_found'],
      async handle({ caller, params }) {
        const { job, macName } = await jobs.get(caller.account.id, params.job_id);
        return { status: 200, body: jobView(job, macName) };
      },
    }),
  ];
}
