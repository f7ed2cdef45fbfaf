// Workers of orders and rentals.

import { giveUpLostHosts, type LostHostsDeps } from '../../builds/app/lost-hosts.js';
import type { MacEndDeps } from '../../builds/app/mac-end.js';
import { recallStranded } from '../../macs/app/stranded-macs.js';
import { HOUR_MS } from '../../platform/domain/durations.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type PurgeDeps, purge } from '../../platform/workers/sweeps.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import type { AvailabilityAudit } from '../app/availability-audit.js';
import { expireOverdueOrders } from '../app/order-ends.js';
import { beginDueRentals, type ProvisioningDeps, rescueMaking } from '../app/provisioning.js';
import { announceEnds, endDueRentals } from '../app/rental-end.js';
import { notifyWaiting, type WaitlistDeps } from '../app/waitlist.js';
import { purgeEntries } from '../store/waitlist.js';

export type RentingWorkersDeps = PurgeDeps & ProvisioningDeps & MacEndDeps & LostHostsDeps & WaitlistDeps;

export function rentingWorkers(deps: RentingWorkersDeps): readonly Worker[] {
  return [
    {
      name: 'order-expiry',
      // Topic payments: a payment in doubt may have failed after its order expired.
      wakeOn: ['orders', 'payments'],
      run: () => expireOverdueOrders(deps),
    },
    // Begins due reservations as soon as their slot is empty.
    { name: 'rental-start', readsAll: true, wakeOn: ['orders', 'availability'], run: () => beginDueRentals(deps) },
    {
      // Rental times are in whole hours.
      name: 'rental-end',
      periodMs: periodWithin(HOUR_MS),
      // An unpaid extension that delayed a Mac's end may have expired; a canceled order's Macs end at once.
      wakeOn: ['orders'],
      run: async () => earlier(await endDueRentals(deps), await announceEnds(deps)),
    },
    {
      // Moves Macs that their host cannot create; cancels orders without any other slot.
      name: 'provisioning',
      readsAll: true,
      wakeOn: ['orders', 'availability', 'hosts'],
      run: async () => earlier(await recallStranded(deps), await rescueMaking(deps)),
    },
    { name: 'lost-hosts', readsAll: true, wakeOn: ['hosts'], run: () => giveUpLostHosts(deps) },
    purge(deps, 'waitlist', deps.limits.records_kept_ms, purgeEntries),
    { name: 'waitlist', readsAll: true, wakeOn: ['availability'], run: () => notifyWaiting(deps) },
  ];
}

/** Follows real time, independent of the test clock. */
export function auditWorker(deps: {
  audit: Pick<AvailabilityAudit, 'run'>;
  limits: Pick<Limits, 'audit_every_ms'>;
}): Worker {
  return {
    name: 'availability-audit',
    inEachProcess: true,
    periodMs: deps.limits.audit_every_ms,
    run: async () => void (await deps.audit.run()),
  };
}

const earlier = (one: number | null, other: number | null) =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
