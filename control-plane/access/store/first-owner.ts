// The token with which the first person registers; it works only while there is none: `<expires at> <hash>`.
import { readMeta, writeMeta } from '../../platform/store/meta.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';

const NAME = 'first_owner';

/** Replaces the previous one. */
export async function writeFirstOwnerToken(
  tx: Transaction,
  { tokenHash, expiresAt }: { tokenHash: string; expiresAt: number },
): Promise<void> {
  await writeMeta(tx, NAME, `${expiresAt} ${tokenHash}`);
}

export async function readFirstOwnerToken(db: Queries): Promise<{ tokenHash: string; expiresAt: number } | null> {
  const [expiresAt, tokenHash] = (await readMeta(db, NAME))?.split(' ') ?? [];
  return tokenHash === undefined ? null : { tokenHash, expiresAt: Number(expiresAt) };
}

export async function deleteFirstOwnerToken(tx: Transaction): Promise<void> {
  await tx.run(`DELETE FROM meta WHERE name = '${NAME}'`);
}
