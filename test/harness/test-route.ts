import { type AnyRoute, type Route, route } from '../../control-plane/platform/http/route.js';

type Given<T> = T extends unknown
  ? Omit<T, 'operationId' | 'action'> & Partial<Pick<T, keyof T & ('operationId' | 'action')>>
  : never;

/** Returns a route for a test, which leaves no entry in the audit log unless it has an action. */
export const testRoute = <P = unknown, Q = unknown, B = unknown>(definition: Given<Route<P, Q, B>>): AnyRoute =>
  route({ operationId: 'test', action: null, ...definition } as Route<P, Q, B>);
