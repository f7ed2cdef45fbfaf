// Errors that an account has met: failed API requests and failed builds, newest first.
import type { ErrorFilter, RecordedError, RecordedFault } from '../domain/recorded-error.js';
import type { Queries, Transaction } from './sql.js';

interface Row {
  id: number;
  account_id: number;
  key_id: string | null;
  key_name: string | null;
  kind: 'api' | 'build';
  at: number;
  code: string;
  http_status: number | null;
  fault: RecordedFault;
  message: string;
  request_id: string | null;
  method: string | null;
  path: string | null;
  build_id: string | null;
  reason_code: string | null;
}

const fromRow = (row: Row): RecordedError => ({
  id: row.id,
  accountId: row.account_id,
  keyId: row.key_id,
  keyName: row.key_name,
  kind: row.kind,
  at: row.at,
  code: row.code,
  httpStatus: row.http_status,
  fault: row.fault,
  message: row.message,
  requestId: row.request_id,
  method: row.method,
  path: row.path,
  buildId: row.build_id,
  reasonCode: row.reason_code,
});

/** A failed build, or what else failed about one; part of the transaction that says so. */
export async function insertBuildError(
  tx: Transaction,
  failed: {
    accountId: number;
    buildId: string;
    keyId: string | null;
    failure: { reasonCode: string; fault: string; summary: string };
    now: number;
  },
): Promise<void> {
  const { accountId, buildId, keyId, failure, now } = failed;
  await tx.run(
    `INSERT INTO api_errors (account_id, key_id, key_name, kind, at, code, fault, message, build_id, reason_code)
     VALUES (:accountId, :keyId, (SELECT name FROM api_keys WHERE key_id = :keyId), 'build', :now, :reasonCode,
       :fault, :summary, :buildId, :reasonCode)`,
    {
      accountId,
      buildId,
      keyId,
      now,
      fault: failure.fault,
      summary: failure.summary,
      reasonCode: failure.reasonCode,
    },
  );
}

export async function insertError(tx: Transaction, error: Omit<RecordedError, 'id'>): Promise<void> {
  await tx.run(
    `INSERT INTO api_errors (account_id, key_id, key_name, kind, at, code, http_status, fault, message,
       request_id, method, path, build_id, reason_code)
     VALUES (:accountId, :keyId, :keyName, :kind, :at, :code, :httpStatus, :fault, :message,
       :requestId, :method, :path, :buildId, :reasonCode)`,
    error,
  );
}

export async function listErrors(
  db: Queries,
  accountId: number,
  filter: ErrorFilter,
): Promise<RecordedError[]> {
  const rows = await db.all<Row>(
    `SELECT * FROM api_errors WHERE account_id = :accountId
       AND (:fault IS NULL OR fault = :fault)
       AND (:code IS NULL OR code = :code)
       AND (:kind IS NULL OR kind = :kind)
       AND (:since IS NULL OR at >= :since)
       AND (:keyId IS NULL OR key_id = :keyId)
       AND (:before IS NULL OR id < :before)
     ORDER BY id DESC LIMIT :limit`,
    { accountId, ...filter },
  );
  return rows.map(fromRow);
}

/** Keeps an account's newest `keep` errors; says how many went. */
export async function trimErrors(tx: Transaction, accountId: number, keep: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM api_errors WHERE account_id = :accountId AND id <=
       (SELECT id FROM api_errors WHERE account_id = :accountId ORDER BY id DESC LIMIT 1 OFFSET :keep)`,
    { accountId, keep },
  );
  return changes;
}
