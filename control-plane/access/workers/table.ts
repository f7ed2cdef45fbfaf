// The background workers of access.
import type { Clock } from '../../../shared/clock.js';
import { DAY_MS } from '../../platform/domain/durations.js';
import type { Limits } from '../../platform/domain/limits.js';
import { purgeMails } from '../../platform/store/mails.js';
import type { Store } from '../../platform/store/sql.js';
import { type PurgeDeps, purge, sweep } from '../../platform/workers/sweeps.js';
import { periodWithin, type Worker } from '../../platform/workers/worker.js';
import { deliverMails, type MailDeliveryDeps } from '../app/mail-delivery.js';
import { purgeInvites } from '../store/invites.js';
import { purgeNotices } from '../store/notices.js';
import { purgeChallenges } from '../store/passkeys.js';
import { purgePasswordResets } from '../store/password-resets.js';
import { purgeSessions } from '../store/sessions.js';

export interface AccessWorkersDeps extends PurgeDeps, Omit<MailDeliveryDeps, 'send' | 'vault'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  /** Null: no mail is sent. */
  readonly mail: Pick<MailDeliveryDeps, 'send' | 'vault'> | null;
}

export function accessWorkers(deps: AccessWorkersDeps): readonly Worker[] {
  const { sweeps, clock, limits, mail } = deps;
  return [
    {
      // An idle session is kept until its absolute expiry, for the sign-in throttle.
      name: 'session-purge',
      periodMs: periodWithin(limits.session_absolute_ms),
      run: () => sweep(sweeps, 'sessions', (tx, limit) => purgeSessions(tx, clock.now(), limit)),
    },
    {
      name: 'invite-purge',
      periodMs: periodWithin(limits.invite_ms),
      run: () => sweep(sweeps, 'invites', (tx, limit) => purgeInvites(tx, clock.now(), limit)),
    },
    // Long after they have expired, because the clock may be set back.
    purge(deps, 'challenges', DAY_MS, purgeChallenges),
    {
      name: 'password-reset-purge',
      periodMs: periodWithin(limits.password_reset_ms),
      run: () => sweep(sweeps, 'password_resets', (tx, limit) => purgePasswordResets(tx, clock.now(), limit)),
    },
    purge(deps, 'mails', limits.mail_kept_ms, purgeMails),
    purge(deps, 'notices', limits.records_kept_ms, purgeNotices),
    ...(mail
      ? [{ name: 'mail-delivery', wakeOn: ['mails'] as const, run: () => deliverMails({ ...deps, ...mail }) }]
      : []),
  ];
}
