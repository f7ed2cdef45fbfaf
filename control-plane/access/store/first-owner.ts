// The one token with which the first person comes in, as long as there is nobody: `<expires at> <hash>`.
import type { Queries, Transaction } from '../../platform/store/sql.js';

const NAME = 'first_owner';

/** Replaces the one before. */
export async function writeFirstOwnerToken(
  tx: Transaction,
  { tokenHash, expiresAt }: { tokenHash: string; expiresAt: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO meta (name, value) VALUES ('${NAME}', :value)
     ON CONFLICT (name) DO UPDATE SET value = :value`,
    { value: `${expiresAt} ${tokenHash}` },
  );
}

export async function readFirstOwnerToken(
  db: Queries,
): Promise<{ tokenHash: string; expiresAt: number } | null> {
  const row = await db.get<{ value: string }>(`SELECT value FROM meta WHERE name = '${NAME}'`);
  const [expiresAt, tokenHash] = row?.value.split(' ') ?? [];
  return tokenHash === undefined ? null : { tokenHash, expiresAt: Number(expiresAt) };
}

export async function deleteFirstOwnerToken(tx: Transaction): Promise<void> {
  await tx.run(`DELETE FROM meta WHERE name = '${NAME}'`);
}
