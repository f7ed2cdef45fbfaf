import type { Core } from '../../platform/app/core.js';
import { openedOrNull, type Vault } from '../../platform/app/vault.js';
import type { Limits } from '../../platform/domain/limits.js';
import { MailRefusedError, type SendMail } from '../../platform/outbound/mail.js';
import {
  dueMails,
  type Mail,
  mailContext,
  markMailFailed,
  markMailSent,
  nextMailAt,
} from '../../platform/store/mails.js';
import { ProcessGivenUpError } from '../../platform/store/sql.js';
import { writePendingMails } from './notices.js';

const BATCH = 20;
const LONGEST_ERROR = 500;

/** Delay before the next attempt, in ms; by default 1, 2, 4 … minutes, at most 6 hours. */
export function mailGapMs(attempts: number, limits: Pick<Limits, 'mail_retry_ms' | 'mail_retry_max_ms'>): number {
  return Math.min(limits.mail_retry_max_ms, limits.mail_retry_ms * 2 ** Math.min(attempts, 20));
}

export interface MailDeliveryDeps extends Pick<Core, 'store' | 'clock' | 'log'> {
  readonly limits: Pick<Limits, 'mail_attempts' | 'mail_kept_ms' | 'mail_retry_ms' | 'mail_retry_max_ms'>;
  readonly send: SendMail;
  readonly vault: Pick<Vault, 'openBytes'>;
}

/**
 * Sends due mails one after the other; each is sent at least once, unless the server permanently refuses it.
 *
 * @returns when the next one is due
 */
export async function deliverMails(deps: MailDeliveryDeps): Promise<number | null> {
  const { store, clock, limits, send, log } = deps;

  const deliver = async (mail: Mail) => {
    const { mailId, recipient: to, subject, createdAt } = mail;
    try {
      const text = textOf(mail);
      await store.durable();
      await send({ id: mailId, to, subject, text, date: new Date(createdAt) });
    } catch (error) {
      if (error instanceof ProcessGivenUpError) throw error;
      const attempts = mail.attempts + 1;
      const final = error instanceof MailRefusedError || attempts >= limits.mail_attempts;
      const nextAt = final ? null : clock.now() + mailGapMs(mail.attempts, limits);
      const told = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_ERROR);
      await store.transaction((tx) => markMailFailed(tx, mailId, told, nextAt));
      log.warn({ mail: mailId, attempts, final, error: told }, 'failed to send a mail');
      return;
    }
    await store.transaction((tx) => markMailSent(tx, mailId, clock.now()));
  };

  const textOf = ({ mailId, text, sealed }: Mail): string => {
    if (sealed === null) return text;
    const opened = openedOrNull(() => deps.vault.openBytes(sealed, mailContext(mailId)));
    if (opened === null) throw new Error('its text is sealed with a key that is not in the key file');
    return opened;
  };

  const due = () => dueMails(store, clock.now(), BATCH);
  const now = clock.now();
  await writePendingMails(store, now, now - limits.mail_kept_ms);
  for (let mails = await due(); mails.length > 0; mails = await due()) {
    for (const mail of mails) await deliver(mail);
  }
  return nextMailAt(store);
}
