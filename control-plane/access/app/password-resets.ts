// A forgotten password: a link by mail, or from an operator, with which the person chooses a new one. The link does not sign in,
// so that whatever else the sign-in asks for is still asked.
import type { Language } from '../../../shared/language.js';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import type { Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { newId } from '../../platform/domain/ids.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail, type User } from '../../platform/domain/person.js';
import { insertMail, mailContext } from '../../platform/store/mails.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { passwordChangedMail, resetLinkMail } from '../domain/password-reset-mail.js';
import { createToken, hashToken, isTokenForm } from '../domain/session.js';
import { deletePasswordReset, findPasswordReset, passwordResetOf, putPasswordReset } from '../store/password-resets.js';
import { deleteSessionsOf } from '../store/sessions.js';
import { findUserByEmail, getUser, setPasswordHash } from '../store/users.js';
import { type NotifyDeps, oneLine } from './notices.js';
import type { Passwords } from './passwords.js';

/** A link, which is known only when it is made. */
export interface ResetLink {
  readonly user: User;
  readonly resetUrl: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
}

export interface PasswordResetsDeps extends Pick<Core, 'store' | 'clock' | 'log'> {
  readonly limits: Pick<Limits, 'password_reset_ms' | 'password_reset_mail_ms'>;
  readonly siteUrl: string;
  readonly passwords: Passwords;
  readonly notices: NotifyDeps;
  /** For the link in a mail. Undefined: no mail is sent. */
  readonly vault?: Pick<Vault, 'sealBytes'> | undefined;
}

/** Callbacks run in the transaction of the change. */
export type PasswordResets = ReturnType<typeof createPasswordResets>;

export function createPasswordResets(deps: PasswordResetsDeps) {
  const { store, clock, log, limits, siteUrl, passwords, notices } = deps;
  const vault = notices.mail === true ? deps.vault : undefined;
  const mailing = new Set<Promise<void>>();

  const issue = async (tx: Transaction, user: User): Promise<ResetLink> => {
    const token = createToken();
    const createdAt = clock.now();
    const expiresAt = createdAt + limits.password_reset_ms;
    await putPasswordReset(tx, { tokenHash: hashToken(token), userId: user.userId, createdAt, expiresAt });
    return { user, resetUrl: `${siteUrl}/reset-password#${token}`, expiresAt };
  };

  const open = async (db: Queries, token: string) => {
    const reset = isTokenForm(token) ? await findPasswordReset(db, hashToken(token)) : null;
    if (!reset || reset.expiresAt <= clock.now()) return null;
    const user = await getUser(db, reset.userId);
    return user && { user, expiresAt: reset.expiresAt };
  };

  const mailLink = (email: string, language: Language | null) =>
    store.transaction(async (tx) => {
      const found = await findUserByEmail(tx, email);
      if (!found || !vault) return;
      const { user } = found;
      // The previous link was mailed only a short time ago.
      const before = await passwordResetOf(tx, user.userId);
      if (before && clock.now() < before.createdAt + limits.password_reset_mail_ms) return;
      const { resetUrl } = await issue(tx, user);
      const minutes = Math.round(limits.password_reset_ms / 60_000);
      const { subject, text } = resetLinkMail(user.language ?? language ?? 'en', { resetUrl, minutes });
      const mailId = newId('mail');
      const sealed = vault.sealBytes(text, mailContext(mailId));
      await insertMail(tx, { mailId, recipient: user.email, subject: oneLine(subject), sealed, now: clock.now() });
      tx.onCommit(() => notices.wake.wake('mails'));
    });

  return {
    /** Whether links are mailed. */
    sendsMail: vault !== undefined,

    /**
     * Mails a link if a person has the address. Resolves before the link is made, so that the response time does not
     * reveal whether one does.
     *
     * @param language of a person whose language is not known
     * @param asked runs in a transaction, for every address
     */
    async request(email: string, language: Language | null, asked: InTransaction): Promise<void> {
      await store.transaction((tx) => asked(tx));
      const work = mailLink(email, language)
        .catch((error: unknown) => log.error({ err: error }, 'failed to mail a link for a new password'))
        .finally(() => mailing.delete(work));
      mailing.add(work);
    },

    /** Makes a link for an operator to pass on. Throws not_found. */
    issueTo(given: string, issued: InTransaction<User>): Promise<ResetLink> {
      return store.transaction(async (tx) => {
        const email = normalizeEmail(given);
        const found = email === null ? null : await findUserByEmail(tx, email);
        if (!found) throw new ApiError('not_found', { message: `No such user: ${given}.` });
        await issued(tx, found.user);
        return issue(tx, found.user);
      });
    },

    /** Throws not_found for a link that is unknown, used, replaced or expired. */
    async find(token: string): Promise<{ readonly user: User; readonly expiresAt: number }> {
      const found = await open(store, token);
      if (!found) throw unknownLink();
      return found;
    },

    /** Ends the person's sessions and mails a notice. Throws not_found; invalid_request for a password that is too short or too long. */
    async reset(token: string, password: string, done: InTransaction<User>): Promise<User> {
      if (!(await open(store, token))) throw unknownLink();
      const passwordHash = await passwords.hash(password);
      return store.transaction(async (tx) => {
        // Another request may have used it meanwhile.
        const found = await open(tx, token);
        if (!found) throw unknownLink();
        const { user } = found;
        await setPasswordHash(tx, user.userId, passwordHash, null);
        await deletePasswordReset(tx, user.userId);
        await deleteSessionsOf(tx, user.userId);
        if (notices.mail !== false) {
          const { subject, text } = passwordChangedMail(user.language ?? 'en', siteUrl);
          const mail = { mailId: newId('mail'), recipient: user.email, subject: oneLine(subject), text };
          await insertMail(tx, { ...mail, now: clock.now() });
          tx.onCommit(() => notices.wake.wake('mails'));
        }
        await done(tx, user);
        return user;
      });
    },

    /** Waits for mails that are being written. */
    async close(): Promise<void> {
      await Promise.all(mailing);
    },
  };
}

function unknownLink(): ApiError {
  return new ApiError('not_found', { message: 'The link is unknown, used, replaced or expired. Ask for a new one.' });
}
