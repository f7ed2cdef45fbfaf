// Passwords: Argon2id with limited concurrency, because each check takes 19 MiB and a core.

import { hash, verify } from '@node-rs/argon2';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Limits } from '../../platform/domain/limits.js';

/** Parameters of Argon2id. */
export interface PasswordCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's minimum: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords(
  limits: Pick<Limits, 'password_chars_min' | 'password_bytes' | 'password_checks_at_once' | 'password_checks_waiting'>,
  cost = PASSWORD_COST,
) {
  const parameters = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$`;
  const waiting: (() => void)[] = [];
  let running = 0;
  let nobodys: Promise<string> | null = null;
  // Hashing time grows with the input.
  const tooLong = (password: string) => Buffer.byteLength(password) > limits.password_bytes;

  /** Callers beyond the longest reasonable queue are refused at once. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limits.password_checks_at_once) {
      if (waiting.length >= limits.password_checks_waiting) {
        throw new ApiError('rate_limited', { retryAfterS: 5 });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // Hands the slot to the next in the queue.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };

  return {
    /** Throws invalid_request (details.fields: [`field`]) for a password that is too short or too long. */
    async hash(password: string, field: string = 'password'): Promise<string> {
      const { password_chars_min: least, password_bytes: most } = limits;
      const isShort = password.length < least;
      if (isShort || tooLong(password)) {
        const problem = isShort ? fieldProblem('too_short', { least }) : fieldProblem('too_many_bytes', { most });
        throw fieldError('invalid_request', field, problem, { detail: { password_chars_min: least } });
      }
      return inTurn(() => hash(password, cost));
    },
    /** Hashes a password that matched, which may be shorter than new ones have to be. */
    renew: (password: string): Promise<string> => inTurn(() => hash(password, cost)),
    /**
     * Checks a password. Takes the same time when there is none (null), so that timing does not reveal which addresses
     * have an account.
     */
    async matches(stored: string | null, password: string): Promise<boolean> {
      if (tooLong(password)) return false;
      return inTurn(async () => {
        nobodys ??= hash('the password of nobody', cost);
        const same = await verify(stored ?? (await nobodys), password);
        return stored !== null && same;
      });
    },
    /** Whether it was hashed with parameters other than the current ones. */
    isOutdated: (stored: string): boolean => !stored.startsWith(parameters),
  };
}
