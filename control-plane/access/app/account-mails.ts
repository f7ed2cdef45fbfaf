// Mails to a person about their own account.
import { newId } from '../../platform/domain/ids.js';
import type { User } from '../../platform/domain/person.js';
import { insertMail } from '../../platform/store/mails.js';
import type { Transaction } from '../../platform/store/sql.js';
import { type AccountChange, accountMail } from '../domain/account-mail.js';
import { type NotifyDeps, oneLine } from './notices.js';

export interface AccountMailDeps extends NotifyDeps {
  readonly siteUrl: string;
}

/** Inserts a mail in `tx`, unless the service is known to send none. */
export async function mailAccountChange(
  tx: Transaction,
  { clock, wake, mail, siteUrl }: AccountMailDeps,
  { email, language }: Pick<User, 'email' | 'language'>,
  change: AccountChange,
): Promise<void> {
  if (mail === false) return;
  const { subject, text } = accountMail(language ?? 'en', change, { email, siteUrl });
  await insertMail(tx, { mailId: newId('mail'), recipient: email, subject: oneLine(subject), text, now: clock.now() });
  tx.onCommit(() => wake.wake('mails'));
}
