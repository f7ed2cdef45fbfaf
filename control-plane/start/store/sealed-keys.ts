// Counts sealed values by the id of their key, without decrypting any.
import type { Queries } from '../../platform/store/sql.js';

export interface SealedCount {
  readonly kind: 'secret' | 'webhook' | 'totp';
  readonly keyId: string;
  readonly count: number;
}

export async function countSealedByKey(db: Queries): Promise<SealedCount[]> {
  return db.all<SealedCount>(
    `SELECT 'secret' AS kind, key_id AS keyId, COUNT(*) AS count FROM secrets GROUP BY key_id
     UNION ALL
     SELECT 'webhook', CAST(substr(secret, 1, instr(secret, X'00') - 1) AS TEXT) AS keyId, COUNT(*)
     FROM webhooks GROUP BY keyId
     UNION ALL
     SELECT 'totp', CAST(substr(sealed, 1, instr(sealed, X'00') - 1) AS TEXT) AS keyId, COUNT(*)
     FROM totp_secrets WHERE on_since IS NOT NULL GROUP BY keyId`,
  );
}
