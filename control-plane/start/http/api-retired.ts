// Retired addresses, which answer that they are permanently gone.
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import { type AnyRoute, type Route, route } from '../../platform/http/route.js';

const retired: readonly { method: Route['method']; path: string; code: ErrorCode }[] = [
  ...(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
    method,
    path: '/jobs',
    code: 'rental_only' as const,
  })),
  { method: 'POST', path: '/orders/:order_no/cancel', code: 'endpoint_removed' },
  { method: 'DELETE', path: '/orders/:order_no', code: 'endpoint_removed' },
];

export function createRetiredRoutes(): AnyRoute[] {
  return retired.map(({ method, path, code }) =>
    route({
      method,
      path,
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
