// The scripts of builds. Equal scripts of an account are one row, never shared across accounts.
import { hash } from 'node:crypto';
import { int, text } from '../../platform/domain/fields.js';
import { inChunks } from '../../platform/store/in-chunks.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';

export const scripts = table('scripts', {
  scriptId: int().assigned,
  accountId: int(),
  sha256: text(),
  bytes: int(),
  /** When the last build with it was deleted, ms; null while there is one. */
  unusedAt: int().orNull.initially(null),
  /** The last column, so that the others are read without it. */
  script: text(),
});

const uses = scripts.pick('scriptId', 'unusedAt');
const texts = scripts.pick('script');

/** Returns the id of the account's script, which is stored if the account does not have it yet. */
export async function keepScript(tx: Transaction, accountId: number, script: string): Promise<number> {
  const sha256 = hash('sha256', script, 'hex');
  const found = await uses.get(tx, 'WHERE account_id = :accountId AND sha256 = :sha256', {
    accountId,
    sha256,
  });
  if (!found) {
    const row = { accountId, sha256, bytes: Buffer.byteLength(script), script };
    return (await scripts.insert(tx, row)).scriptId;
  }
  const { scriptId } = found;
  if (found.unusedAt !== null) await scripts.update(tx, { scriptId }, { unusedAt: null });
  return scriptId;
}

/** Returns null if the account no longer has such a script. */
export async function findScript(q: Queries, accountId: number, scriptId: number): Promise<string | null> {
  const found = await texts.get(q, 'WHERE script_id = :scriptId AND account_id = :accountId', {
    scriptId,
    accountId,
  });
  return found?.script ?? null;
}

/** Marks those of the scripts that no build has. */
export async function noteUnusedScripts(tx: Transaction, scriptIds: ReadonlySet<number>, now: number): Promise<void> {
  for (const { list, params } of inChunks(scriptIds)) {
    await tx.run(
      `UPDATE scripts SET unused_at = :now WHERE script_id IN (${list}) AND unused_at IS NULL
         AND NOT EXISTS (SELECT 1 FROM builds b WHERE b.script_id = scripts.script_id)`,
      { ...params, now },
    );
  }
}

/** Deletes up to `limit` scripts that no build has had since `before`. */
export async function deleteUnusedScripts(tx: Transaction, before: number, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM scripts WHERE script_id IN (
       SELECT script_id FROM scripts WHERE unused_at IS NOT NULL AND unused_at <= :before
       ORDER BY unused_at LIMIT :limit)`,
    { before, limit },
  );
  return changes;
}
