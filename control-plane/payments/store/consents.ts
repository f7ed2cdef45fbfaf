// Who has agreed to what, before a payment.

import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Consent } from '../domain/consent.js';

interface Row {
  order_no: string;
  user_id: string;
  text_version: string;
  text_sha256: string;
  ip: string;
  at: number;
}

export async function insertConsent(tx: Transaction, consent: Consent): Promise<void> {
  await tx.run(
    `INSERT INTO consents (order_no, user_id, text_version, text_sha256, ip, at)
     VALUES (:orderNo, :userId, :textVersion, :textSha256, :ip, :at)
     ON CONFLICT (order_no, user_id, at) DO NOTHING`,
    { ...consent },
  );
}

export async function hasConsent(q: Queries, orderNo: string): Promise<boolean> {
  return (await q.get('SELECT 1 FROM consents WHERE order_no = :orderNo', { orderNo })) !== undefined;
}

/** Oldest first. */
export async function readConsents(q: Queries, orderNo: string): Promise<Consent[]> {
  const rows = await q.all<Row>('SELECT * FROM consents WHERE order_no = :orderNo ORDER BY at, user_id', {
    orderNo,
  });
  return rows.map((row) => ({
    orderNo: row.order_no,
    userId: row.user_id,
    textVersion: row.text_version,
    textSha256: row.text_sha256,
    ip: row.ip,
    at: row.at,
  }));
}
