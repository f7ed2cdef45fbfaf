// Errors that an account has met: failed API requests and failed builds, newest first.
import type { Message } from '../../../shared/messages/message.js';
import type { Scope } from '../domain/caller.js';
import {
  type ErrorFilter,
  type RecordedError,
  type RecordedFault,
  recordedErrorFields,
} from '../domain/recorded-error.js';
import { purgeOf } from './purge.js';
import type { Queries, Transaction } from './sql.js';
import { table } from './table.js';

export const apiErrors = table('api_errors', recordedErrorFields);

export const insertError = apiErrors.insert;

const withKeyName = apiErrors.inserter<'keyName'>({
  computed: { keyName: '(SELECT name FROM api_keys WHERE key_id = :keyId)' },
});

/** Records a failed build, or another failure of a build, in the caller's transaction. */
export async function insertBuildError(
  tx: Transaction,
  failed: {
    accountId: number;
    buildId: string;
    keyId: string | null;
    failure: {
      reasonCode: string;
      fault: RecordedFault;
      summary: string;
      messages?: { readonly summary: Message };
    };
    now: number;
  },
): Promise<void> {
  const { accountId, buildId, keyId, failure, now } = failed;
  await withKeyName(tx, {
    accountId,
    buildId,
    keyId,
    kind: 'build',
    at: now,
    code: failure.reasonCode,
    httpStatus: null,
    fault: failure.fault,
    message: failure.summary,
    failureMessage: failure.messages?.summary ?? null,
    reasonCode: failure.reasonCode,
    requestId: null,
    method: null,
    path: null,
  });
}

/** Errors of keys and builds in scope, and of people, whose errors have no workspace. */
export function listErrors(
  db: Queries,
  { accountId, workspaceIds }: Scope,
  filter: ErrorFilter,
): Promise<RecordedError[]> {
  return apiErrors.all(
    db,
    `WHERE account_id = :accountId
       AND (:fault IS NULL OR fault = :fault)
       AND (:code IS NULL OR code = :code)
       AND (:kind IS NULL OR kind = :kind)
       AND (:since IS NULL OR at >= :since)
       AND (:keyId IS NULL OR key_id = :keyId)
       AND (:before IS NULL OR id < :before)
       AND (:workspaceIds IS NULL OR (SELECT workspace_id FROM api_keys WHERE key_id = api_errors.key_id
         UNION ALL SELECT workspace_id FROM builds WHERE build_id = api_errors.build_id LIMIT 1)
         IN (SELECT value FROM json_each(:workspaceIds))
         OR (key_id IS NULL AND build_id IS NULL))
     ORDER BY id DESC LIMIT :limit`,
    { accountId, workspaceIds: workspaceIds && JSON.stringify(workspaceIds), ...filter },
  );
}

export const purgeErrors = purgeOf('api_errors', { key: 'id', expired: 'at <= :before', by: 'at' });

/** Deletes all but an account's newest `keep` errors; returns how many. */
export async function trimErrors(tx: Transaction, accountId: number, keep: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM api_errors WHERE account_id = :accountId AND id <=
       (SELECT id FROM api_errors WHERE account_id = :accountId ORDER BY id DESC LIMIT 1 OFFSET :keep)`,
    { accountId, keep },
  );
  return changes;
}
