// Two-step sign-in: an authenticator app, and recovery codes for the day when it is lost.
import { randomBytes } from 'node:crypto';
import type { Core } from '../../platform/app/core.js';
import type { InTransaction } from '../../platform/app/in-transaction.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import { normalizeEmail, type User } from '../../platform/domain/person.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { base32, TOTP_SECRET_BYTES, totpAddress } from '../domain/totp.js';
import {
  countRecoveryCodes,
  deleteTotp,
  findTotp,
  insertTotp,
  replaceRecoveryCodes,
  totpContext,
  updateTotp,
} from '../store/second-factors.js';
import { findUserByEmail } from '../store/users.js';
import { mailAccountChange } from './account-mails.js';
import { createFactorCodes, type FactorCodeDeps } from './factor-codes.js';

export interface FactorStatus {
  /** When two-step sign-in was turned on, ms; null: it is off. */
  readonly onSince: number | null;
  readonly codesLeft: number;
}

export interface TotpSetup {
  /** In base32. */
  readonly secret: string;
  /** For a QR code. */
  readonly address: string;
  readonly expiresAt: number;
}

export interface SecondFactorDeps extends Pick<Core, 'store'>, FactorCodeDeps {
  readonly limits: FactorCodeDeps['limits'] & Pick<Limits, 'totp_setup_ms'>;
}

/** Callbacks run in the transaction of the change. */
export type SecondFactors = ReturnType<typeof createSecondFactors>;

export function createSecondFactors(deps: SecondFactorDeps) {
  const { store, clock, limits, vault, siteUrl } = deps;
  const codes = createFactorCodes(deps);

  const isOn = async (db: Queries, userId: string): Promise<boolean> =>
    ((await findTotp(db, userId))?.onSince ?? null) !== null;

  const turnOff = async (tx: Transaction, userId: string) => {
    await deleteTotp(tx, userId);
    await replaceRecoveryCodes(tx, userId, []);
  };

  return {
    isOn,

    async status(userId: string): Promise<FactorStatus> {
      const found = await findTotp(store, userId);
      const onSince = found?.onSince ?? null;
      return { onSince, codesLeft: onSince === null ? 0 : await countRecoveryCodes(store, userId) };
    },

    /**
     * Creates a secret, which takes effect once one of its codes was entered (`turnOn`). Returns the same one until it
     * expires, so that two pages show the same. Throws totp_already_on.
     */
    setUp: (user: User): Promise<TotpSetup> =>
      store.transaction(async (tx) => {
        const { userId, email } = user;
        const found = await findTotp(tx, userId);
        if (found && found.onSince !== null) throw new ApiError('totp_already_on');
        const now = clock.now();
        const lives = found !== null && now < found.createdAt + limits.totp_setup_ms;
        const secret = lives ? codes.opened(userId, found.sealed) : randomBytes(TOTP_SECRET_BYTES);
        if (!lives) {
          if (!vault) throw new ApiError('secrets_unavailable');
          await deleteTotp(tx, userId);
          await insertTotp(tx, { userId, sealed: vault.sealBytes(secret, totpContext(userId)), createdAt: now });
        }
        const issuer = `Cidermill ${new URL(siteUrl).host}`;
        return {
          secret: base32(secret),
          address: totpAddress(secret, { issuer, email }),
          expiresAt: (lives ? found.createdAt : now) + limits.totp_setup_ms,
        };
      }),

    /** Returns the recovery codes. Throws invalid_code, rate_limited, totp_already_on, totp_setup_expired. */
    async turnOn(user: User, code: string, done: InTransaction): Promise<string[]> {
      const { userId } = user;
      const made = await store.transaction(async (tx) => {
        const found = await findTotp(tx, userId);
        if (found && found.onSince !== null) throw new ApiError('totp_already_on');
        const now = clock.now();
        if (!found || now >= found.createdAt + limits.totp_setup_ms) throw new ApiError('totp_setup_expired');
        if (!(await codes.takeFirst(tx, found, code))) return null;
        await updateTotp(tx, userId, { onSince: now });
        await mailAccountChange(tx, deps, user, { kind: 'totp_on' });
        await done(tx);
        return codes.renew(tx, userId);
      });
      if (made === null) throw new ApiError('invalid_code');
      return made;
    },

    /** Does nothing when it is off. */
    turnOff: (user: User, done: InTransaction): Promise<void> =>
      store.transaction(async (tx) => {
        if (await isOn(tx, user.userId)) await mailAccountChange(tx, deps, user, { kind: 'totp_off' });
        await turnOff(tx, user.userId);
        await done(tx);
      }),

    /** Replaces the recovery codes. Throws not_found while two-step sign-in is off. */
    renewCodes: (user: User, done: InTransaction): Promise<string[]> =>
      store.transaction(async (tx) => {
        if (!(await isOn(tx, user.userId))) {
          throw new ApiError('not_found', { message: 'Two-step sign-in is off; turn it on first.' });
        }
        await mailAccountChange(tx, deps, user, { kind: 'recovery_codes_new' });
        await done(tx);
        return codes.renew(tx, user.userId);
      }),

    /** As `FactorCodes.take`. */
    take: codes.take,

    /** Uses a code of the person. Throws invalid_code, rate_limited, secrets_unavailable. */
    async check(user: User, code: string): Promise<void> {
      const isRight = await store.transaction((tx) => codes.take(tx, user, code));
      if (!isRight) throw new ApiError('invalid_code');
    },

    /** For operators. Throws not_found for an unknown address. Returns whether there was one to remove. */
    async removeOf(given: string, done: InTransaction<User>): Promise<{ user: User; removed: boolean }> {
      const email = normalizeEmail(given);
      return store.transaction(async (tx) => {
        const found = email === null ? null : await findUserByEmail(tx, email);
        if (!found) throw new ApiError('not_found', { message: `No such user: ${given}.` });
        const { user } = found;
        const removed = await isOn(tx, user.userId);
        await turnOff(tx, user.userId);
        if (removed) await mailAccountChange(tx, deps, user, { kind: 'factors_removed' });
        await done(tx, user);
        return { user, removed };
      });
    },
  };
}
