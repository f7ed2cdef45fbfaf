// One attempt at a delivery, and the result that is stored.
import type { Clock } from '../../../shared/clock.js';
import { deliveryError } from '../../../shared/messages/delivery-errors.js';
import type { Stop } from '../../../shared/stop.js';
import { notifyReceiver } from '../../builds/app/notify-secrets.js';
import type { Core } from '../../platform/app/core.js';
import type { Vault } from '../../platform/app/vault.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { SigningSecrets } from '../../platform/domain/webhook-signature.js';
import type { Store, Transaction } from '../../platform/store/sql.js';
import { bodyFor } from '../domain/chat-message.js';
import { type DeliveryStatus, judge, type Verdict } from '../domain/delivery.js';
import { giveUpDeliveries } from '../store/deliveries.js';
import {
  type ClaimedDelivery,
  claimDue,
  nextDueAt,
  readDueWindows,
  releaseClaim,
  settleClaim,
} from '../store/delivery-claims.js';
import { changeWebhook, findAnyWebhook } from '../store/webhooks.js';
import { type PostDeps, type Posted, postWebhook } from './webhook-post.js';
import { openSecrets } from './webhook-secrets.js';
import { DISABLED } from './webhooks.js';

export interface DeliveryAttemptsDeps extends PostDeps, Pick<Core, 'store' | 'wake'> {
  /** For dates in `Retry-After`. */
  readonly realClock: Clock;
  readonly vault: Vault;
  readonly limits: Pick<Limits, 'webhook_retry_after_ms' | 'webhook_claim_ms'>;
}

export type DeliveryAttempts = ReturnType<typeof createDeliveryAttempts>;

/** What a delivery ends with when its receiver was removed or disabled. */
const RECEIVER_DISABLED: Verdict = {
  status: 'failed',
  retryInMs: null,
  httpStatus: null,
  error: DISABLED,
  gone: false,
};

export function createDeliveryAttempts(deps: DeliveryAttemptsDeps) {
  const { store, clock, realClock, limits } = deps;

  const ended: Record<DeliveryStatus, number> = { pending: 0, delivered: 0, failed: 0 };
  const settle = (claimed: ClaimedDelivery, verdict: Verdict, posted: Posted | null) =>
    store.transaction(async (tx) => {
      const result = {
        verdict: await respectChanges(tx, claimed.receiver, verdict),
        request: posted?.request ?? null,
        response: posted?.response ?? null,
        now: clock.now(),
      };
      if (!(await settleClaim(tx, claimed, result))) return;
      tx.onCommit(() => {
        ended[result.verdict.status]++;
        deps.wake.wake('webhooks', String(claimed.accountId));
      });
      if (verdict.gone) await giveUpReceiver(tx, claimed.receiver, posted);
    });

  return {
    dueReceivers: (now: number) => readDueWindows(store, now),
    nextDueAt: (now: number) => nextDueAt(store, now),
    /** Number of attempts since startup, by the delivery status that they led to. */
    ended: (): Readonly<Record<DeliveryStatus, number>> => ended,

    /** Claims due deliveries: for each receiver at most `limit`, none of those in `skip`. */
    claim(
      wanted: readonly { windowKey: string; limit: number; skip: ReadonlySet<string> }[],
    ): Promise<ClaimedDelivery[]> {
      return store.transaction(async (tx) => {
        const now = clock.now();
        const until = now + limits.webhook_claim_ms;
        const claimed: ClaimedDelivery[] = [];
        for (const { windowKey, ...room } of wanted)
          claimed.push(...(await claimDue(tx, windowKey, { now, until, ...room })));
        return claimed;
      });
    },

    /**
     * Sends a claimed delivery once.
     *
     * @param stop aborts the attempt; an unanswered delivery is then released unchanged
     * @returns whether the receiver accepted it
     */
    async attempt(claimed: ClaimedDelivery, stop: Stop): Promise<boolean> {
      const receiver = await findReceiver(deps, claimed.receiver);
      if (!receiver) {
        await settle(claimed, RECEIVER_DISABLED, null);
        return false;
      }
      if (receiver.secrets === null) {
        // Retried as if unreachable: the operator may restore the key.
        const answer = { kind: 'unreachable', error: unreadableError(claimed.receiver) } as const;
        await settle(claimed, judge(answer, claimed.tries + 1, realClock.now(), limits), null);
        return false;
      }
      const { url } = receiver;
      const post = { ...claimed, url, body: bodyFor(url, claimed.payload) };
      await store.durable();
      const posted = await postWebhook(deps, post, receiver.secrets, stop);
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

/** Respects changes made during the attempt: a receiver that was disabled gets no further attempt. */
async function respectChanges(tx: Transaction, receiver: string, verdict: Verdict): Promise<Verdict> {
  if (verdict.status !== 'pending' || !isWebhook(receiver)) return verdict;
  const webhook = await findAnyWebhook(tx, receiver);
  if (webhook?.status === 'enabled') return verdict;
  return { ...verdict, status: 'failed', retryInMs: null, error: DISABLED };
}

/** Disables a webhook that answered 410, and gives up the pending deliveries of any receiver that did. */
async function giveUpReceiver(tx: Transaction, receiver: string, posted: Posted | null): Promise<void> {
  if (isWebhook(receiver)) {
    // The URL was changed during the attempt, so the 410 came from the previous one.
    const webhook = await findAnyWebhook(tx, receiver);
    if (webhook?.url !== posted?.url) return;
    await changeWebhook(tx, receiver, { status: 'disabled', disabledReason: 'gone' });
  }
  await giveUpDeliveries(tx, receiver, deliveryError('answered_gone', { status: 410 }));
}

interface Receiver {
  readonly url: string;
  /** Null when they cannot be decrypted. */
  readonly secrets: SigningSecrets | null;
}

/** @param receiver a webhook id or a build id */
const isWebhook = (receiver: string) => receiver.startsWith('wh_');

/** Error of an attempt that could not be signed. */
const unreadableError = (receiver: string) =>
  deliveryError(isWebhook(receiver) ? 'webhook_secret_unreadable' : 'notify_secret_unreadable');

/** Null when the receiver no longer exists or is disabled. */
async function findReceiver(
  { store, vault, clock }: { store: Store; vault: Vault; clock: Clock },
  receiver: string,
): Promise<Receiver | null> {
  if (isWebhook(receiver)) {
    const webhook = await findAnyWebhook(store, receiver);
    if (webhook?.status !== 'enabled') return null;
    return { url: webhook.url, secrets: openSecrets(vault, webhook, clock.now()) };
  }
  const found = await notifyReceiver(store, vault, receiver);
  if (!found) return null;
  const { url, secret } = found;
  return { url, secrets: secret === null ? null : { current: secret, previous: null } };
}
