// People, and what they belong to.
import type { Account } from './caller.js';
import type { Role } from './role.js';

export interface User {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  /** Runs the service: sees hosts and every organization. */
  readonly operator: boolean;
  readonly createdAt: number;
}

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
export function normalizeEmail(text: string): string | null {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}
