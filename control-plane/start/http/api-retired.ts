// Retired addresses, which answer that they are permanently gone.
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type AnyRoute, route } from '../../platform/http/route.js';

const jobs = { path: '/jobs', code: 'rental_only' } as const;
const change = { action: null } as const;

const retired = [
  { ...jobs, method: 'GET', operationId: 'retiredGetJobs' },
  { ...jobs, ...change, method: 'POST', operationId: 'retiredPostJobs' },
  { ...jobs, ...change, method: 'PUT', operationId: 'retiredPutJobs' },
  { ...jobs, ...change, method: 'PATCH', operationId: 'retiredPatchJobs' },
  { ...jobs, ...change, method: 'DELETE', operationId: 'retiredDeleteJobs' },
  {
    ...change,
    method: 'POST',
    path: '/orders/:order_no/cancel',
    operationId: 'retiredCancelOrder',
    code: 'endpoint_removed',
  },
  {
    ...change,
    method: 'DELETE',
    path: '/orders/:order_no',
    operationId: 'retiredDeleteOrder',
    code: 'endpoint_removed',
  },
] as const;

export function createRetiredRoutes(): AnyRoute[] {
  return retired.map(({ code, ...named }) =>
    route({
      ...named,
      level: null,
      ignoresUnknown: true,
      summary: 'Retired',
      responses: {},
      errors: [code],
      async handle() {
        throw new ApiError(code);
      },
    }),
  );
}
