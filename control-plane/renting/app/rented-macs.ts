// Rented Macs as their customer sees them: possible extensions, running and waiting builds.
import { macLabel } from '../../../shared/mac-name.js';
import { findBuild } from '../../builds/app/build-lookup.js';
import {
  type AccountQueue,
  atOneMoment,
  type PlacedBuild,
  placeBuilds,
  readQueueState,
  readWholeQueue,
} from '../../builds/app/queue.js';
import { fits } from '../../builds/domain/placement.js';
import type { QueueState } from '../../builds/domain/places.js';
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
  const extensionsOf = async (accountId: number, macs: readonly Mac[], now: number) =>
    withExtensions(macs, await readExtensionBasis(store, availability, accountId), now, limits);

  return {
    /**
     * Returns the account's Macs, oldest first, and the running and waiting builds in scope.
     *
     * @param filter.after only Macs after this one
     * @param filter.text only Macs whose name or id contains it, in any case
     */
    async list(scope: Scope, now: number, { after, text }: MacFilter, step: Step): Promise<MacList> {
      const wanted = text.toLowerCase();
      const isFound = ({ name, rentalId }: Mac) => [name, rentalId].some((each) => each.toLowerCase().includes(wanted));
      const isWanted = (mac: Mac) => (after === null || isAfter(mac, after)) && isFound(mac);
      const { whole, beside } = await readWholeQueue({ store, limits }, scope, step, (macs) =>
        extensionsOf(scope.accountId, macs.filter(isWanted), now),
      );
      await step();
      const queue = placeBuilds(whole, now, limits);
      return { macs: beside.map((mac) => busyMac(mac, whole.state, queue)), queue };
    },

    /** Returns the Mac. Throws rental_not_found: the rental has ended (`detail`: `ended`, `name`), or the account never had it. */
    async get(scope: Scope, rentalId: string, now: number): Promise<MacDetail> {
      const [state, macs] = await atOneMoment(store, async () => {
        const read = await readQueueState(store, scope.accountId, limits);
        const wanted = read.macs.filter((mac) => mac.rentalId === rentalId);
        return [read, await extensionsOf(scope.accountId, wanted, now)] as const;
      });
      const [found] = macs;
      if (!found) {
        const ended = await findMacOf(store, scope.accountId, rentalId);
        if (!ended) throw new ApiError('rental_not_found');
        throw new ApiError('rental_not_found', {
          message: `The rental of ${macLabel(ended)} has ended.`,
          detail: { ended: true, name: ended.name },
        });
      }
      const { buildId } = found.mac;
      const [build, job, resets] = await Promise.all([
        buildId === null ? null : findBuild(store, scope, buildId),
        lastJob(store, rentalId),
        newMacQuotaOf(store, rentalId, now, limits),
      ]);
      const queue = placeBuilds({ state, active: build === null ? [] : [build] }, now, limits);
      return { ...busyMac(found, state, queue), lastJob: job, resets };
    },
  };
}

const isAfter = ({ createdAt, rentalId }: Mac, { at, id }: MacPosition) =>
  createdAt > at || (createdAt === at && rentalId > id);

const busyMac = ({ mac, extension }: RentedMac, { queued }: QueueState, { running }: AccountQueue): BusyMac => ({
  mac,
  extension,
  currentBuild: running.find(({ build }) => build.buildId === mac.buildId) ?? null,
  queuedBuilds: countFor(mac, queued),
});

const countFor = (mac: Mac, queued: readonly QueuedBuild[]) => queued.filter((build) => fits(mac, build)).length;
