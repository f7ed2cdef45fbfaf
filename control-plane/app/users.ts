// People: made with a password, given a role in an organization.
import { hash } from '@node-rs/argon2';
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../domain/error-catalog.js';
import { newId } from '../domain/ids.js';
import type { Role } from '../domain/role.js';
import { ConstraintError, type Store } from '../store/sql.js';
import { insertMember, insertUser } from '../store/users.js';

export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly operator?: boolean | undefined;
  readonly membership?: { readonly accountId: number; readonly role: Role } | undefined;
}

export interface Users {
  /** Throws invalid_request for an e-mail that is none or is taken, and for a password of unfit length. */
  create(user: NewUser): Promise<{ userId: string; email: string }>;
}

// OWASP's minimum for Argon2id: 19 MiB, two passes, one lane.
const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const SHORTEST_PASSWORD = 8;
// Hashing takes time that grows with the input.
const LONGEST_PASSWORD_BYTES = 1_024;

export function createUsers({ store, clock }: { store: Store; clock: Clock }): Users {
  return {
    async create({ email: given, password, name, operator = false, membership }) {
      const email = normalizeEmail(given);
      if (password.length < SHORTEST_PASSWORD || Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) {
        throw invalid('password', `A password has at least ${SHORTEST_PASSWORD} characters.`);
      }
      const passwordHash = await hash(password, ARGON2);
      const userId = newId('user');
      const now = clock.now();
      try {
        await store.transaction(async (tx) => {
          await insertUser(tx, { userId, email, name: name ?? null, passwordHash, operator, now });
          if (membership) await insertMember(tx, { ...membership, userId, now });
        });
      } catch (error) {
        if (error instanceof ConstraintError) throw invalid('email', `There is a user ${email} already.`);
        throw error;
      }
      return { userId, email };
    },
  };
}

/** One form per address; letters' case is not told apart, as no mail system of today does. */
function normalizeEmail(text: string): string {
  const email = text.trim().normalize('NFC').toLowerCase();
  if (email.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)) {
    throw invalid('email', 'That is not an e-mail address.');
  }
  return email;
}

function invalid(field: string, message: string): ApiError {
  return new ApiError('invalid_request', { message, detail: { fields: [field] } });
}
