// The caller of a request: determined once by an authenticator, then passed to the use cases.
import { type AccountLimitChanges, checkAccountLimits } from './account-limits.js';
import { bool, int, json, type RecordOf, text } from './fields.js';
import type { Role } from './role.js';

/** Levels are independent: a key can have any combination, and none implies another. */
export const levels = ['read', 'build', 'manage'] as const;
export type Level = (typeof levels)[number];

export const isLevel = (word: string): word is Level => levels.some((level) => level === word);

export const accountFields = {
  id: int().assigned,
  orgId: text(),
  name: text(),
  slug: text(),
  status: text<'active' | 'suspended' | 'closed'>().initially('active'),
  paymentsBlocked: bool().initially(false),
  /** Limits that an operator has set for this account; see `limitsOf`. */
  limits: json<AccountLimitChanges>(checkAccountLimits).initially({}),
};
export type Account = RecordOf<typeof accountFields>;

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
}

/** The workspaces of an account whose builds and uploads are visible. */
export interface Scope {
  readonly accountId: number;
  /** Null: all workspaces. */
  readonly workspaceIds: readonly string[] | null;
}

export interface Caller {
  readonly account: Account;
  /**
   * The workspace in which the caller's builds and uploads are created. Empty for a member who sees none, who calls
   * console endpoints only.
   */
  readonly workspaceId: string;
  /**
   * Workspaces whose builds and uploads the caller can see: the key's workspace, or those of the person. Null: all of
   * the account.
   */
  readonly workspaceIds: readonly string[] | null;
  /** The API key, or null for a console session and for the link to a build. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly levels: readonly Level[];
    readonly cidrs: readonly string[];
    readonly expiresAt: number | null;
  } | null;
  /** The person of a console session; null for an API key and for the link to a build. */
  readonly person: Person | null;
  readonly levels: readonly Level[];
  readonly ip: string;
}

export const scopeOf = ({ account, workspaceIds }: Caller): Scope => ({
  accountId: account.id,
  workspaceIds,
});

export function isInScope(
  { accountId, workspaceIds }: Scope,
  row: { readonly accountId: number; readonly workspaceId: string },
): boolean {
  return row.accountId === accountId && (workspaceIds === null || workspaceIds.includes(row.workspaceId));
}

/** Returns whether everything that is visible in `part` is visible in `whole`. */
export function coversScope(whole: Scope, part: Scope): boolean {
  if (whole.accountId !== part.accountId) return false;
  return whole.workspaceIds === null || (part.workspaceIds?.every((id) => whole.workspaceIds?.includes(id)) ?? false);
}

/** Returns whether the caller has neither key nor session, only the link to a build. */
export const isVisitor = ({ key, person }: Pick<Caller, 'key' | 'person'>): boolean => key === null && person === null;

/**
 * Returns the name under which requests are counted: one per key, one per person across all sessions, or one
 * for all visitors of the account.
 */
export function callerName({ key, person, account }: Caller): string {
  return key?.id ?? person?.userId ?? account.orgId;
}
