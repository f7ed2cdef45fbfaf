// Refuses requests that add rows when little of the disk's reserve is left, so that the database can still record ends
// of builds, payments and deletions.
import { ApiError } from '../domain/error-catalog.js';
import type { Authenticate } from './mount-api.js';
import type { AnyRoute } from './route.js';

const RETRY_S = 30;

/**
 * Authenticates, then refuses a request that adds data while the disk is nearly full. Reading, deleting and canceling
 * still work.
 *
 * @param hasRoom whether the disk has room for requests
 */
export function refuseWritesOnFullDisk(authenticate: Authenticate, hasRoom: () => Promise<boolean>): Authenticate {
  return (request, route) => {
    const caller = authenticate(request, route);
    if (!addsRows(route)) return caller;
    return Promise.resolve(caller).then(async (settled) => {
      if (await hasRoom()) return settled;
      throw new ApiError('storage_full', { retryAfterS: RETRY_S });
    });
  };
}

const addsRows = ({ method, level, beyondRecordsLimit }: AnyRoute) =>
  (level === 'build' || level === 'manage') && method !== 'DELETE' && beyondRecordsLimit !== 'frees';
