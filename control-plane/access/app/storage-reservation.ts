// A reservation of storage: what a request that receives bytes does with it, and why it is refused.
import type { AccountLimitName } from '../../platform/domain/account-limits.js';
import { CONSOLE_ROOT } from '../../platform/domain/addresses.js';
import { ApiError } from '../../platform/domain/error-catalog.js';

export type QuotaKind = 'contents' | 'artifacts';

/** Bytes that one request is receiving. */
export interface Reservation {
  /** Reserves bytes that are about to arrive. Throws ApiError `storage_quota_exceeded`. */
  take(bytes: number): Promise<void>;
  /** Runs the transaction that writes the rows of `bytes` taken before. They stay reserved until it ends. */
  store<T>(bytes: number, write: () => Promise<T>): Promise<T>;
  /** Releases the bytes that were taken but not stored. */
  release(): void;
}

export interface StorageOwner {
  readonly accountId: number;
  readonly workspaceId: string;
}

/** What an account has stored, and may store. */
export interface Room {
  readonly used: number;
  readonly limit: number;
}

export const kinds = {
  contents: { limit: 'contents_bytes', used: 'contentsBytes', files: 'upload' },
  artifacts: { limit: 'artifacts_bytes', used: 'artifactsBytes', files: 'artifact' },
} as const satisfies Record<QuotaKind, { limit: AccountLimitName; used: string; files: string }>;

export function exceeded({ workspaceId }: StorageOwner, kind: QuotaKind, { used, limit }: Room): ApiError {
  const { limit: name, files } = kinds[kind];
  return new ApiError('storage_quota_exceeded', {
    message:
      `The account may store ${limit} bytes of ${kind} and uses ${used}, so this does not fit. Delete files that you no longer ` +
      'need. The files of all its workspaces count; deleted ones count until their contents are collected, within hours.',
    detail: { limit: name, limit_bytes: limit, used_bytes: used },
    next: [
      {
        action: 'list_files',
        method: 'GET',
        path: `${CONSOLE_ROOT}/v1/files?workspace_id=${encodeURIComponent(workspaceId)}&kind=${files}`,
      },
    ],
  });
}
