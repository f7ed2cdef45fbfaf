// Rented Macs as their customer sees them: possible extensions, running and waiting builds.

import {
  type AccountQueue,
  activeBuilds,
  atOneMoment,
  type PlacedBuild,
  placeBuilds,
  readQueueState,
} from '../../builds/app/queue.js';
import { fits } from '../../builds/domain/placement.js';
import type { QueuedBuild } from '../../builds/domain/queue.js';
import { lastJob } from '../../macs/app/jobs.js';
import { newMacQuotaOf } from '../../macs/app/new-macs.js';
import type { Job } from '../../macs/domain/job.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { NewMacQuota } from '../../macs/domain/maintenance.js';
import type { Scope } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import type { RentedMac } from '../domain/extension.js';
import type { Availability } from './availability.js';
import { readExtensionBasis, withExtensions } from './extension-items.js';

export interface BusyMac extends RentedMac {
  /** Returns null for a build out of scope, too. */
  readonly currentBuild: PlacedBuild | null;
  /** Waiting builds that the Mac could run. */
  readonly queuedBuilds: number;
}

export interface MacDetail extends BusyMac {
  readonly lastJob: Job | null;
  readonly resets: NewMacQuota;
}

export interface RentedMacsDeps {
  readonly store: Store;
  readonly limits: Limits;
  readonly availability: Availability;
}

export type RentedMacs = ReturnType<typeof createRentedMacs>;

export function createRentedMacs({ store, limits, availability }: RentedMacsDeps) {
  const list = async (scope: Scope, now: number): Promise<{ macs: BusyMac[]; queue: AccountQueue }> => {
    const { accountId } = scope;
    const [state, active, basis] = await atOneMoment(store, () =>
      Promise.all([
        readQueueState(store, accountId, limits),
        activeBuilds(store, scope),
        readExtensionBasis(store, availability, accountId),
      ]),
    );
    const queue = placeBuilds(active, state, now, limits);
    const busy = ({ mac, extension }: RentedMac): BusyMac => ({
      mac,
      extension,
      currentBuild: queue.running.find(({ build }) => build.buildId === mac.buildId) ?? null,
      queuedBuilds: countFor(mac, state.queued),
    });
    return { macs: withExtensions(state.macs, basis, now, limits).map(busy), queue };
  };

  return {
    /** Returns the account's Macs, oldest first, and the running and waiting builds in scope. */
    list,

    /** Returns the Mac. Throws rental_not_found, also if the rental has ended or is another account's. */
    async get(scope: Scope, rentalId: string, now: number): Promise<MacDetail> {
      const { macs } = await list(scope, now);
      const found = macs.find(({ mac }) => mac.rentalId === rentalId);
      if (!found) throw new ApiError('rental_not_found');
      const [job, resets] = await Promise.all([
        lastJob(store, rentalId),
        newMacQuotaOf(store, rentalId, now, limits),
      ]);
      return { ...found, lastJob: job, resets };
    },
  };
}

const countFor = (mac: Mac, queued: readonly QueuedBuild[]) =>
  queued.filter((build) => fits(mac, build)).length;
