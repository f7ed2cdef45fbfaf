import { createStop } from '../../../shared/stop.js';
import type { Core } from '../../platform/app/core.js';
import type { Wake } from '../../platform/wake.js';
import type { Worker } from '../../platform/workers/worker.js';
import type { DeliveryAttempts } from '../app/delivery-attempts.js';
import type { ClaimedDelivery } from '../store/delivery-claims.js';
import { createReceiverWindows } from './receiver-windows.js';

/** Receivers that are served in one transaction. */
const BATCH = 100;

export interface WebhookDeliveryDeps extends Pick<Core, 'clock' | 'limits' | 'log'> {
  readonly wake: Pick<Wake, 'wakeHere'>;
  readonly attempts: DeliveryAttempts;
}

/**
 * Sends due deliveries. A run only starts attempts; each wakes the worker for its receiver when it ends. Wake-ups
 * name the receivers with new deliveries.
 */
export function createWebhookDelivery(deps: WebhookDeliveryDeps): Worker {
  const { attempts, clock, wake, log } = deps;
  const windows = createReceiverWindows(deps.limits);
  const sending = new Map<string, Set<string>>();
  const underWay = new Set<Promise<void>>();
  let nextAt: number | null = null;
  const stop = createStop();

  const send = async (claimed: ClaimedDelivery) => {
    const { windowKey, deliveryId } = claimed;
    const siblings = sending.get(windowKey) ?? new Set();
    sending.set(windowKey, siblings.add(deliveryId));
    let answered = false;
    try {
      answered = await attempts.attempt(claimed, stop);
    } catch (error) {
      // Retried when its claim expires.
      log.error({ err: error, delivery: deliveryId }, 'failed to record a delivery');
    }
    siblings.delete(deliveryId);
    if (siblings.size === 0) sending.delete(windowKey);
    windows.ended(windowKey, answered);
    wake.wakeHere('deliveries', windowKey);
  };
  /** Starts as many deliveries as allowed; returns whether reserved attempts were released. */
  const begin = async (names: readonly string[]): Promise<boolean> => {
    const none: ReadonlySet<string> = new Set();
    const wanted = names
      .map((windowKey) => ({
        windowKey,
        limit: windows.take(windowKey, deps.limits.webhook_attempts_per_receiver),
        skip: sending.get(windowKey) ?? none,
      }))
      .filter(({ limit }) => limit > 0);
    if (wanted.length === 0) return false;
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      claimed = await attempts.claim(wanted);
    } finally {
      const used = new Map<string, number>();
      for (const { windowKey } of claimed) used.set(windowKey, (used.get(windowKey) ?? 0) + 1);
      for (const { windowKey, limit } of wanted) windows.giveBack(windowKey, limit - (used.get(windowKey) ?? 0));
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
      // Read first: what becomes due during the run is found by the next one.
      const now = clock.now();
      const everywhere = woken.size === 0 || (nextAt !== null && nextAt <= now);
      const due = [...woken, ...(everywhere ? await attempts.dueReceivers(now) : [])];
      for (let all = [...new Set([...windows.held(), ...due])]; all.length > 0 && !stop.stopped; ) {
        let freed = false;
        for (let at = 0; at < all.length && !stop.stopped; at += BATCH) {
          if (await begin(all.slice(at, at + BATCH))) freed = true;
        }
        // No wake-up comes for receivers that waited for attempts which were then released.
        all = freed ? windows.held() : [];
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
