// People and their memberships.
import type { Language } from '../../../shared/language.js';
import type { Account } from './caller.js';
import { bool, int, type RecordOf, text } from './fields.js';
import type { Role } from './role.js';

export const userFields = {
  userId: text(),
  email: text(),
  name: text().orNull,
  /** Operators of the service can see hosts and all organizations. */
  operator: bool(),
  /** Of mails and the console. Null: not known yet. */
  language: text<Language>().orNull.initially(null),
  createdAt: int(),
};
export type User = RecordOf<typeof userFields>;

/** Who gets a mail, and in which language. */
export interface MailRecipient {
  readonly email: string;
  readonly language: Language;
}

/** A person's membership in one organization. */
export interface Membership {
  readonly account: Account;
  readonly role: Role;
  /** Workspaces whose builds and uploads the person can see. Null: all, for owners and admins. */
  readonly workspaceIds: readonly string[] | null;
}

/** A person with a valid session. */
export interface SignedIn extends User {
  readonly tokenHash: string;
  readonly expiresAt: number;
  /** When the person last confirmed in this session who they are, ms; null: in a session of an older version. */
  readonly confirmedAt: number | null;
}

// Excludes characters that could start another address or a header.
const EMAIL = /^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u;

/** Returns the normalized address in lower case, since current mail systems ignore case; null if it is invalid. */
export function normalizeEmail(address: string): string | null {
  const email = address.trim().normalize('NFC').toLowerCase();
  return email.length <= 254 && EMAIL.test(email) ? email : null;
}
