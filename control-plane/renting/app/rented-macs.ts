// Rented Macs as their customer sees them: possible extensions, running and waiting builds.
import { macLabel } from '../../../shared/mac-name.js';
import {
  type AccountQueue,
  atOneMoment,
  type PlacedBuild,
  placeBuilds,
  readWholeQueue,
} from '../../builds/app/queue.js';
import { fits } from '../../builds/domain/placement.js';
import type { QueuedBuild } from '../../builds/domain/queue.js';
import { lastJob } from '../../macs/app/jobs.js';
import { findMacOf } from '../../macs/app/macs.js';
import { newMacQuotaOf } from '../../macs/app/new-macs.js';
import type { Job } from '../../macs/domain/job.js';
import type { Mac } from '../../macs/domain/mac.js';
import type { NewMacQuota } from '../../macs/domain/maintenance.js';
import type { Core } from '../../platform/app/core.js';
import type { Step } from '../../platform/app/turns.js';
import type { Scope } from '../../platform/domain/caller.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { RentedMac } from '../domain/extension.js';
import type { Availability } from './availability.js';
import { readExtensionBasis, withExtensions } from './extension-items.js';

export interface BusyMac extends RentedMac {
  /** Returns null for a build out of scope, too. */
  readonly currentBuild: PlacedBuild | null;
  /** Waiting builds that the Mac could run. */
  readonly queuedBuilds: number;
}

/** The place of a Mac in the list. */
export interface MacPosition {
  /** When it was created, ms since the epoch. */
  readonly at: number;
  readonly id: string;
}

export interface MacFilter {
  readonly after: MacPosition | null;
  /** '': all. */
  readonly text: string;
}

export interface MacDetail extends BusyMac {
  readonly lastJob: Job | null;
  readonly resets: NewMacQuota;
}

export interface RentedMacsDeps extends Pick<Core, 'store' | 'limits'> {
  readonly availability: Availability;
}

export type RentedMacs = ReturnType<typeof createRentedMacs>;

export interface MacList {
  readonly macs: readonly BusyMac[];
  readonly queue: AccountQueue;
}

export function createRentedMacs({ store, limits, availability }: RentedMacsDeps) {
  const read = async (scope: Scope, now: number, step: Step, isWanted: (mac: Mac) => boolean): Promise<MacList> => {
    const { accountId } = scope;
    const [whole, basis] = await atOneMoment(store, () =>
      Promise.all([readWholeQueue(store, scope, limits), readExtensionBasis(store, availability, accountId)]),
    );
    await step();
    const { state } = whole;
    const queue = placeBuilds(whole, now, limits);
    const busy = ({ mac, extension }: RentedMac): BusyMac => ({
      mac,
      extension,
      currentBuild: queue.running.find(({ build }) => build.buildId === mac.buildId) ?? null,
      queuedBuilds: countFor(mac, state.queued),
    });
    const wanted = state.macs.filter(isWanted);
    return { macs: withExtensions(wanted, basis, now, limits).map(busy), queue };
  };

  return {
    /**
     * Returns the account's Macs, oldest first, and the running and waiting builds in scope.
     *
     * @param filter.after only Macs after this one
     * @param filter.text only Macs whose name or id contains it, in any case
     */
    list(scope: Scope, now: number, { after, text }: MacFilter, step: Step): Promise<MacList> {
      const wanted = text.toLowerCase();
      const isFound = ({ name, rentalId }: Mac) => [name, rentalId].some((each) => each.toLowerCase().includes(wanted));
      return read(scope, now, step, (mac) => (after === null || isAfter(mac, after)) && isFound(mac));
    },

    /** Returns the Mac. Throws rental_not_found: the rental has ended (`detail`: `ended`, `name`), or the account never had it. */
    async get(scope: Scope, rentalId: string, now: number, step: Step): Promise<MacDetail> {
      const { macs } = await read(scope, now, step, (mac) => mac.rentalId === rentalId);
      const [found] = macs;
      if (!found) {
        const ended = await findMacOf(store, scope.accountId, rentalId);
        if (!ended) throw new ApiError('rental_not_found');
        throw new ApiError('rental_not_found', {
          message: `The rental of ${macLabel(ended)} has ended.`,
          detail: { ended: true, name: ended.name },
        });
      }
      const [job, resets] = await Promise.all([lastJob(store, rentalId), newMacQuotaOf(store, rentalId, now, limits)]);
      return { ...found, lastJob: job, resets };
    },
  };
}

const isAfter = ({ createdAt, rentalId }: Mac, { at, id }: MacPosition) =>
  createdAt > at || (createdAt === at && rentalId > id);

const countFor = (mac: Mac, queued: readonly QueuedBuild[]) => queued.filter((build) => fits(mac, build)).length;
