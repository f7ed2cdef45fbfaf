// Limits that an operator can set for one account. To add one, add a row here: the options of `cidermill admin org
// set-limits`, the fields of GET /me and the stored form follow from it.
import type { LimitName, Limits } from './limits.js';

export interface AccountLimit {
  /** The default, for accounts for which no limit is set. */
  readonly fallback: LimitName;
  /** The option of `org set-limits`. */
  readonly option: string;
  /** Unit of the option; null for a count. */
  readonly unit: { readonly name: string; readonly size: number } | null;
  readonly meaning: string;
}

const gib = { name: 'GiB', size: 1024 ** 3 };
const days = { name: 'days', size: 24 * 3_600_000 };

/** Keyed by the name in GET /me and in the database. */
export const accountLimitTable = {
  contents_bytes: {
    fallback: 'account_contents_bytes',
    option: 'contents-gb',
    unit: gib,
    meaning: 'files of uploads',
  },
  artifacts_bytes: {
    fallback: 'account_artifacts_bytes',
    option: 'artifacts-gb',
    unit: gib,
    meaning: 'artifacts of builds',
  },
  logs_bytes: { fallback: 'account_logs_bytes', option: 'logs-gb', unit: gib, meaning: 'logs of builds' },
  records_bytes: {
    fallback: 'account_records_bytes',
    option: 'records-gb',
    unit: gib,
    meaning: 'what the account writes into the database',
  },
  logs_kept_ms: {
    fallback: 'logs_kept_ms',
    option: 'logs-days',
    unit: days,
    meaning: 'how long logs are kept',
  },
  builds_kept_ms: {
    fallback: 'builds_kept_ms',
    option: 'builds-days',
    unit: days,
    meaning: 'how long builds and events are kept',
  },
  parked_requests: {
    fallback: 'account_parked_requests',
    option: 'parked-requests',
    unit: null,
    meaning: 'open long polls and streams',
  },
  concurrent_uploads: {
    fallback: 'account_concurrent_uploads',
    option: 'concurrent-uploads',
    unit: null,
    meaning: 'upload requests at the same time',
  },
  account_requests_per_minute: {
    fallback: 'requests_per_minute',
    option: 'requests-per-minute',
    unit: null,
    meaning: 'requests of all keys together per minute',
  },
} as const satisfies Record<string, AccountLimit>;

export type AccountLimitName = keyof typeof accountLimitTable;
/** Sizes in bytes, times in ms. */
export type AccountLimits = Readonly<Record<AccountLimitName, number>>;
export type AccountLimitChanges = Partial<AccountLimits>;

export const accountLimitNames = Object.keys(accountLimitTable) as AccountLimitName[];

interface Limited {
  readonly limits: AccountLimitChanges;
}

/** @example limitOf(caller.account, 'parked_requests', limits) // 50 */
export const limitOf = (account: Limited, name: AccountLimitName, limits: Limits): number =>
  account.limits[name] ?? limits[accountLimitTable[name].fallback];

/** Returns all limits of an account. */
export const limitsOf = (account: Limited, limits: Limits): AccountLimits =>
  Object.fromEntries(accountLimitNames.map((name) => [name, limitOf(account, name, limits)])) as AccountLimits;

/** Parses stored limits, ignoring those that this version does not know. */
export function checkAccountLimits(value: unknown): AccountLimitChanges {
  if (typeof value !== 'object' || value === null) throw new Error('the limits of an account are not an object');
  const entries = Object.entries(value).filter(
    ([name, number]) => Object.hasOwn(accountLimitTable, name) && Number.isSafeInteger(number),
  );
  return Object.fromEntries(entries);
}
