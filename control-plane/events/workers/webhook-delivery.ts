import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { createStop } from '../../../shared/stop.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Wake } from '../../platform/wake.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { DeliveryAttempts } from '../app/delivery-attempts.js';
import type { ClaimedDelivery } from '../store/delivery-claims.js';
import { createLanes } from './lanes.js';

/** Lanes that are served in one transaction. */
const BATCH = 100;

export interface WebhookDeliveryDeps {
  readonly attempts: DeliveryAttempts;
  readonly clock: Clock;
  readonly wake: Pick<Wake, 'wake'>;
  readonly limits: Limits;
  readonly log: Log;
}

/**
 * Sends what is due. A run only begins attempts; each wakes the worker for its own lane when it has ended. Woken with
 * lanes that have something new.
 */
export function createWebhookDelivery(deps: WebhookDeliveryDeps): Worker {
  const { attempts, clock, wake, log } = deps;
  const lanes = createLanes(deps.limits);
  const sending = new Map<string, Set<string>>();
  const underWay = new Set<Promise<void>>();
  let nextAt: number | null = null;
  const stop = createStop();

  const send = async (claimed: ClaimedDelivery) => {
    const { lane, deliveryId } = claimed;
    const siblings = sending.get(lane) ?? new Set();
    sending.set(lane, siblings.add(deliveryId));
    let answered = false;
    try {
      answered = await attempts.attempt(claimed, stop);
    } catch (error) {
      // Its claim runs out, and it is sent then.
      log.error({ err: error, delivery: deliveryId }, 'a delivery could not be written down');
    }
    siblings.delete(deliveryId);
    if (siblings.size === 0) sending.delete(lane);
    lanes.ended(lane, answered);
    wake.wake('deliveries', lane);
  };
  /** Begins what it may of these lanes; answers whether room that it had reserved is free again. */
  const begin = async (names: readonly string[]): Promise<boolean> => {
    const none: ReadonlySet<string> = new Set();
    const wanted = names
      .map((lane) => ({
        lane,
        limit: lanes.take(lane, deps.limits.webhook_attempts_per_receiver),
        skip: sending.get(lane) ?? none,
      }))
      .filter(({ limit }) => limit > 0);
    if (wanted.length === 0) return false;
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      claimed = await attempts.claim(wanted);
    } finally {
      const used = new Map<string, number>();
      for (const { lane } of claimed) used.set(lane, (used.get(lane) ?? 0) + 1);
      for (const { lane, limit } of wanted) lanes.giveBack(lane, limit - (used.get(lane) ?? 0));
    }
    for (const one of claimed) {
      const sent = send(one).finally(() => underWay.delete(sent));
      underWay.add(sent);
    }
    return claimed.length < wanted.reduce((sum, { limit }) => sum + limit, 0);
  };

  return {
    name: 'webhook-delivery',
    wakeOn: ['deliveries'],
    async run(woken) {
      // Taken first: what falls due during the run is the next to be looked for.
      const now = clock.now();
      const everywhere = woken.size === 0 || (nextAt !== null && nextAt <= now);
      const due = [...woken, ...(everywhere ? await attempts.dueLanes(now) : [])];
      for (let all = [...new Set([...lanes.held(), ...due])]; all.length > 0 && !stop.stopped; ) {
        let freed = false;
        for (let at = 0; at < all.length && !stop.stopped; at += BATCH) {
          if (await begin(all.slice(at, at + BATCH))) freed = true;
        }
        // Nobody wakes those that were held for room which then was not used.
        all = freed ? lanes.held() : [];
      }
      nextAt = await attempts.nextDueAt(now);
      return nextAt;
    },
    underWay: () => (underWay.size > 0 ? Promise.all(underWay) : null),
    async stop() {
      stop.stop();
      await Promise.all(underWay);
    },
  };
}
