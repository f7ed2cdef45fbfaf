// The background workers of access.
import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { purgeSessions } from '../store/sessions.js';
import { createMailDelivery, type MailDeliveryDeps } from './mail-delivery.js';

export interface AccessWorkersDeps extends Omit<MailDeliveryDeps, 'send'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Null: no mail is sent. */
  readonly sendMail: MailDeliveryDeps['send'] | null;
}

export function accessWorkers(deps: AccessWorkersDeps): readonly Worker[] {
  const { store, clock, limits, sendMail } = deps;
  return [
    {
      // An idle session is kept until its absolute expiry, for the sign-in throttle.
      name: 'session-purge',
      periodMs: periodWithin(limits.session_absolute_ms),
      run: async () => void (await store.transaction((tx) => purgeSessions(tx, clock.now()))),
    },
    ...(sendMail ? [createMailDelivery({ ...deps, send: sendMail })] : []),
  ];
}
