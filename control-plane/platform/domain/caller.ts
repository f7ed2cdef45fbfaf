// Who is asking: settled once by an authenticator, then handed to the use cases.
import type { Role } from './role.js';

/** Independent of each other: a key holds any of them, and none implies another. */
export const levels = ['read', 'build', 'manage'] as const;
export type Level = (typeof levels)[number];

export const isLevel = (text: string): text is Level => levels.some((level) => level === text);

export interface Account {
  readonly id: number;
  readonly orgId: string;
  readonly name: string;
  readonly slug: string;
  readonly status: 'active' | 'suspended' | 'closed';
  readonly paymentsBlocked: boolean;
}

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

export interface Caller {
  readonly account: Account;
  readonly workspaceId: string;
  /** The API key, or null for a console session. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly levels: readonly Level[];
    readonly cidrs: readonly string[];
    readonly expiresAt: number | null;
  } | null;
  /** The person of a console session, or null for an API key. */
  readonly person: Person | null;
  readonly levels: readonly Level[];
  readonly ip: string;
}

/** Whose requests are counted together: a key's, or a person's over all of their sessions. */
export function callerName({ key, person, account }: Caller): string {
  return key?.id ?? person?.userId ?? account.orgId;
}
