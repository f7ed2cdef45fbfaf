// Counts sealed values by the id of their key, without decrypting any.
import type { Queries } from '../../platform/store/sql.js';

export interface SealedCount {
  readonly kind: 'secret' | 'webhook' | 'totp';
  readonly keyId: string;
  readonly count: number;
}

/** A sealed value begins with the id of its key, before the first zero byte. */
const keyOf = (column: string) => `substr(${column}, 1, instr(${column}, :zero) - 1)`;

export async function countSealedByKey(db: Queries): Promise<SealedCount[]> {
  const rows = await db.all<Omit<SealedCount, 'keyId'> & { keyId: string | Buffer }>(
    `SELECT 'secret' AS kind, key_id AS "keyId", COUNT(*) AS count FROM secrets GROUP BY key_id`,
  );
  const sealed = await db.all<Omit<SealedCount, 'keyId'> & { keyId: Buffer }>(
    `SELECT 'webhook' AS kind, ${keyOf('secret')} AS "keyId", COUNT(*) AS count FROM webhooks GROUP BY ${keyOf('secret')}
     UNION ALL
     SELECT 'totp', ${keyOf('sealed')}, COUNT(*) FROM totp_secrets WHERE on_since IS NOT NULL GROUP BY ${keyOf('sealed')}`,
    { zero: Buffer.from([0]) },
  );
  return [...rows, ...sealed].map((row) => ({ ...row, keyId: row.keyId.toString() }));
}
