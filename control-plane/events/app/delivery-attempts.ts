// One attempt at a delivery: to whom, with which secrets, and what is written of it.
import type { Clock } from '../../../shared/clock.js';
import type { Stop } from '../../../shared/stop.js';
import { notifyReceiver } from '../../builds/app/notify-secrets.js';
import type { Vault } from '../../platform/app/vault.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { type DeliveryStatus, judge, type Verdict } from '../domain/delivery.js';
import { giveUpDeliveries } from '../store/deliveries.js';
import {
  type ClaimedDelivery,
  claimDue,
  nextDueAt,
  readDueLanes,
  releaseClaim,
  settleClaim,
} from '../store/delivery-claims.js';
import { changeWebhook, findAnyWebhook } from '../store/webhooks.js';
import { type PostDeps, type Posted, postWebhook } from './webhook-post.js';
import { openSecrets, SECRET_UNREADABLE } from './webhook-secrets.js';
import { DISABLED } from './webhooks.js';

export interface DeliveryAttemptsDeps extends PostDeps {
  readonly store: Store;
  /** For the dates that receivers name. */
  readonly realClock: Clock;
  readonly vault: Vault;
  readonly limits: Pick<Limits, 'webhook_retry_after_ms' | 'webhook_claim_ms'>;
}

interface Receiver {
  readonly url: string;
  /** Null when they cannot be opened. */
  readonly secrets: SigningSecrets | null;
}

export type DeliveryAttempts = ReturnType<typeof createDeliveryAttempts>;

const NOTIFY_UNREADABLE = 'not sent: the signing secret of notify_url cannot be opened any more';

const isWebhook = (receiver: string) => receiver.startsWith('wh_');

export function createDeliveryAttempts(deps: DeliveryAttemptsDeps) {
  const { store, clock, realClock, vault, limits } = deps;

  /** Null when there is nobody to send to any more. */
  const receiverOf = async ({ receiver }: ClaimedDelivery): Promise<Receiver | null> => {
    if (isWebhook(receiver)) {
      const webhook = await findAnyWebhook(store, receiver);
      if (webhook?.status !== 'enabled') return null;
      return { url: webhook.url, secrets: openSecrets(vault, webhook, clock.now()) };
    }
    const found = await notifyReceiver(store, vault, receiver);
    if (!found) return null;
    const { url, secret } = found;
    return { url, secrets: secret === null ? null : { current: secret, previous: null } };
  };

  /** What was decided while the attempt was under way counts: a receiver that was disabled gets no other attempt. */
  const standing = async (
    tx: Transaction,
    { receiver }: ClaimedDelivery,
    verdict: Verdict,
  ): Promise<Verdict> => {
    if (verdict.status !== 'pending' || !isWebhook(receiver)) return verdict;
    const webhook = await findAnyWebhook(tx, receiver);
    if (webhook?.status === 'enabled') return verdict;
    return { ...verdict, status: 'failed', retryInMs: null, error: DISABLED };
  };

  const ended: Record<DeliveryStatus, number> = { pending: 0, delivered: 0, failed: 0 };
  const settle = (claimed: ClaimedDelivery, verdict: Verdict, posted: Posted | null) =>
    store.transaction(async (tx) => {
      const result = {
        verdict: await standing(tx, claimed, verdict),
        request: posted?.request ?? null,
        response: posted?.response ?? null,
        now: clock.now(),
      };
      if (!(await settleClaim(tx, claimed, result))) return;
      tx.onCommit(() => ended[result.verdict.status]++);
      if (!verdict.gone) return;
      if (isWebhook(claimed.receiver)) {
        // It was moved meanwhile: the address that has gone is not its address any more.
        const webhook = await findAnyWebhook(tx, claimed.receiver);
        if (webhook?.url !== posted?.url) return;
        await changeWebhook(tx, claimed.receiver, { status: 'disabled', disabledReason: 'gone' });
      }
      await giveUpDeliveries(tx, claimed.receiver, 'the receiver answered 410');
    });

  return {
    dueLanes: (now: number) => readDueLanes(store, now),
    nextDueAt: (now: number) => nextDueAt(store, now),
    /** How many attempts have left their delivery in which status, since the start. */
    ended: (): Readonly<Record<DeliveryStatus, number>> => ended,

    /** Claims what is due, for each lane at most so many and none of those in `skip`. */
    claim(
      lanes: readonly { lane: string; limit: number; skip: ReadonlySet<string> }[],
    ): Promise<ClaimedDelivery[]> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const until = now + limits.webhook_claim_ms;
        const claimed: ClaimedDelivery[] = [];
        for (const { lane, ...room } of lanes)
          claimed.push(...(await claimDue(tx, lane, { now, until, ...room })));
        return claimed;
      });
    },

    /**
     * Sends a claimed delivery once.
     *
     * @param stop breaks it off; what has not been answered is then as if it had not been claimed
     * @returns whether the receiver took it
     */
    async attempt(claimed: ClaimedDelivery, stop: Stop): Promise<boolean> {
      const receiver = await receiverOf(claimed);
      if (!receiver) {
        const verdict = {
          status: 'failed',
          retryInMs: null,
          httpStatus: null,
          error: DISABLED,
          gone: false,
        } as const;
        await settle(claimed, verdict, null);
        return false;
      }
      if (receiver.secrets === null) {
        // Tried again as if nobody had answered: the operator may put the key back.
        const error = isWebhook(claimed.receiver) ? SECRET_UNREADABLE : NOTIFY_UNREADABLE;
        const verdict = judge({ kind: 'unreachable', error }, claimed.tries + 1, realClock.now(), limits);
        await settle(claimed, verdict, null);
        return false;
      }
      const posted = await postWebhook(deps, { ...claimed, url: receiver.url }, receiver.secrets, stop);
      if (stop.stopped && posted.answer.kind === 'unreachable') {
        await store.transaction((tx) => releaseClaim(tx, claimed, clock.now()));
        return false;
      }
      const verdict = judge(posted.answer, claimed.tries + 1, realClock.now(), limits);
      await settle(claimed, verdict, posted);
      return verdict.status === 'delivered';
    },
  };
}
