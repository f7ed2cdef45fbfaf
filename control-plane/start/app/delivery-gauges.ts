// Gauges of deliveries for the operator: how many are pending, for how long, and how attempts end.
import type { Clock } from '../../../shared/clock.js';
import type { DeliveryAttempts } from '../../events/app/delivery-attempts.js';
import { RETRY_GAPS_MS } from '../../events/domain/delivery.js';
import type { Gauge } from '../../platform/app/gauge.js';
import type { Store } from '../../platform/store/sql.js';
import { countWaitingDeliveries } from '../store/counts.js';

const LAST_RETRY_MIN = Math.round(RETRY_GAPS_MS.reduce((sum, gap) => sum + gap, 0) / 60_000);

export function createDeliveryGauges(deps: {
  store: Store;
  clock: Clock;
  attempts: Pick<DeliveryAttempts, 'ended'>;
}): readonly Gauge[] {
  const { store, clock, attempts } = deps;
  const seconds = (since: number | null) => ({
    '': since === null ? 0 : Math.max(0, clock.now() - since) / 1000,
  });
  return [
    {
      name: 'cidermill_deliveries_waiting',
      help: 'Pending webhook deliveries.',
      read: async () => ({ '': (await countWaitingDeliveries(store)).count }),
    },
    {
      name: 'cidermill_delivery_oldest_seconds',
      help: `Age of the oldest of them; the last retry is about ${LAST_RETRY_MIN} minutes after the first attempt.`,
      read: async () => seconds((await countWaitingDeliveries(store)).oldestAt),
    },
    {
      name: 'cidermill_delivery_overdue_seconds',
      help: 'For how long the delivery that has been due longest has not been sent; near 0 while sending keeps up.',
      read: async () => seconds((await countWaitingDeliveries(store)).dueAt),
    },
    {
      name: 'cidermill_delivery_attempts_total',
      help: 'Attempts since the start: delivered, to be tried again, or failed for good.',
      type: 'counter',
      read: () => {
        const { delivered, pending, failed } = attempts.ended();
        return { 'end="delivered"': delivered, 'end="again"': pending, 'end="failed"': failed };
      },
    },
  ];
}
