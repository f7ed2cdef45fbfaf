// People, and what they belong to.
import type { Account } from './caller.js';
import { bool, int, type RecordOf, text } from './fields.js';
import type { Role } from './role.js';

export const userFields = {
  userId: text(),
  email: text(),
  name: text().orNull,
  /** Runs the service: sees hosts and every organization. */
  operator: bool(),
  createdAt: int(),
};
export type User = RecordOf<typeof userFields>;

/** A person's place in one organization. */
export interface Membership {
  readonly account: Account;
  readonly role: Role;
}

/** A person with a live session. */
export interface SignedIn extends User {
  readonly tokenHash: string;
  readonly expiresAt: number;
}

// Nothing that could end an address and begin another one, or a header.
const EMAIL = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/** One form per address; letters' case is not told apart, as no mail system of today does. Null: it is none. */
export function normalizeEmail(address: string): string | null {
  const email = address.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}
