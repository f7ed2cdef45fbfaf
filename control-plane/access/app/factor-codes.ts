// Codes of authenticator apps and recovery codes: whether one is right, and that it is used once.
import type { Core } from '../../platform/app/core.js';
import { openedBytes, type Vault } from '../../platform/app/vault.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { User } from '../../platform/domain/person.js';
import type { Transaction } from '../../platform/store/sql.js';
import { createRecoveryCodes, recoveryCodeHash } from '../domain/recovery-code.js';
import { isTotpForm, stepOfCode } from '../domain/totp.js';
import {
  countRecoveryCodes,
  findTotp,
  replaceRecoveryCodes,
  type TotpSecret,
  takeRecoveryCode,
  totpContext,
  updateTotp,
} from '../store/second-factors.js';
import { type AccountMailDeps, mailAccountChange } from './account-mails.js';

export interface FactorCodeDeps extends AccountMailDeps {
  readonly clock: Core['clock'];
  readonly limits: Pick<Limits, 'totp_failures' | 'totp_failures_wait_ms'>;
  /** Undefined in commands that run beside the service, where nobody signs in. */
  readonly vault?: Pick<Vault, 'sealBytes' | 'openBytes'> | undefined;
}

/**
 * All methods run in the caller's transaction. It must be committed after a wrong code too, because wrong codes are
 * counted.
 */
export function createFactorCodes(deps: FactorCodeDeps) {
  const { clock, limits, vault } = deps;

  const opened = (userId: string, sealed: Buffer): Buffer => {
    const secret = vault ? openedBytes(() => vault.openBytes(sealed, totpContext(userId))) : null;
    if (secret === null) throw new ApiError('secrets_unavailable');
    return secret;
  };

  /**
   * Limits wrong codes for each person, whatever address they come from: an attacker who reaches this step has the password.
   */
  const checkFailures = ({ failures, failedAt }: TotpSecret) => {
    const waitMs = failedAt + limits.totp_failures_wait_ms - clock.now();
    if (failures < limits.totp_failures || waitMs <= 0) return;
    throw new ApiError('rate_limited', {
      message: `${failures} wrong codes in a row: wait, or use a recovery code or a passkey.`,
      retryAfterS: Math.ceil(waitMs / 1_000),
    });
  };

  /** Counts a wrong code. */
  const takeTotp = async (tx: Transaction, found: TotpSecret, code: string): Promise<boolean> => {
    const { userId, sealed, usedStep, failures } = found;
    const step = stepOfCode(opened(userId, sealed), code, clock.now(), usedStep);
    const failed = { failures: failures + 1, failedAt: clock.now() };
    await updateTotp(tx, userId, step === null ? failed : { usedStep: step, failures: 0 });
    return step !== null;
  };

  const takeRecovery = async (tx: Transaction, user: User, code: string): Promise<boolean> => {
    const codeHash = recoveryCodeHash(code);
    if (codeHash === null || !(await takeRecoveryCode(tx, user.userId, codeHash))) return false;
    const left = await countRecoveryCodes(tx, user.userId);
    await mailAccountChange(tx, deps, user, { kind: 'recovery_code_used', left });
    return true;
  };

  const takeApp = async (tx: Transaction, found: TotpSecret, code: string): Promise<boolean> => {
    checkFailures(found);
    return takeTotp(tx, found, code);
  };

  return {
    /** Throws secrets_unavailable. */
    opened,

    /** Uses a code of the app whose secret this is. Throws rate_limited, secrets_unavailable. */
    takeFirst: (tx: Transaction, found: TotpSecret, given: string): Promise<boolean> =>
      takeApp(tx, found, typed(given)),

    /**
     * Uses a code of the app or a recovery code of a person with two-step sign-in; false: it is wrong. Throws rate_limited,
     * secrets_unavailable.
     */
    async take(tx: Transaction, user: User, given: string): Promise<boolean> {
      const found = await findTotp(tx, user.userId);
      if (!found || found.onSince === null) return false;
      const code = typed(given);
      return isTotpForm(code) ? takeApp(tx, found, code) : takeRecovery(tx, user, code);
    },

    /** Replaces the recovery codes; returns the new ones. */
    async renew(tx: Transaction, userId: string): Promise<string[]> {
      const made = createRecoveryCodes();
      await replaceRecoveryCodes(
        tx,
        userId,
        made.map((code) => recoveryCodeHash(code) ?? ''),
      );
      return made;
    },
  };
}

/** Apps show codes in two groups. */
const typed = (code: string): string => code.replaceAll(/\s/g, '');
