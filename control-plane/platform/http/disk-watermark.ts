// When little of the disk's reserve is left, requests that would add rows are refused, so that the database can still
// record what happens: ends of builds, payments, deletions.
import { ApiError } from '../domain/error-catalog.js';
import type { Authenticate } from './family.js';
import type { LeveledRoute } from './route.js';

const RETRY_S = 30;

/**
 * Authenticates, then refuses a request that needs room the disk does not have. Reading, deleting and canceling go on.
 *
 * @param hasRoom whether the disk has room for requests
 */
export function refuseWritesOnFullDisk(
  authenticate: Authenticate,
  hasRoom: () => Promise<boolean>,
): Authenticate {
  return (request, route) => {
    const caller = authenticate(request, route);
    if (!addsRows(route)) return caller;
    return Promise.resolve(caller).then(async (settled) => {
      if (await hasRoom()) return settled;
      throw new ApiError('storage_full', { retryAfterS: RETRY_S });
    });
  };
}

const addsRows = ({ method, path, level }: LeveledRoute) =>
  (level === 'build' || level === 'manage') && method !== 'DELETE' && !path.endsWith('/cancel');
