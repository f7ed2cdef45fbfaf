// Equal scripts of an account are stored once. A build keeps the beginning and the size of its script, so that lists
// do not read it.
import { createHash } from 'node:crypto';
import { firstCharacters } from '../../../../shared/first-characters.js';
import type { Migration } from '../migrate.js';
import type { Queries } from '../sql.js';

/** Rows at a time: at most this many scripts are in memory. */
const PAGE = 100;
const EXCERPT_CHARS = 500;

export const scriptsStoredOnce: Migration = {
  id: 50,
  name: 'scripts-stored-once',
  statements: async (q) => {
    for (const sql of [
      `CREATE TABLE scripts (
        script_id INTEGER PRIMARY KEY,
        account_id INTEGER NOT NULL REFERENCES organizations (id),
        sha256 TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        unused_at INTEGER,
        script TEXT NOT NULL,
        UNIQUE (account_id, sha256))`,
      `CREATE INDEX scripts_unused ON scripts (unused_at) WHERE unused_at IS NOT NULL`,
      'ALTER TABLE builds ADD COLUMN script_id INTEGER NOT NULL DEFAULT 0',
      `ALTER TABLE builds ADD COLUMN script_excerpt TEXT NOT NULL DEFAULT ''`,
      'ALTER TABLE builds ADD COLUMN script_bytes INTEGER NOT NULL DEFAULT 0',
    ]) {
      await q.run(sql);
    }
    await moveScripts(q);
    return [
      'ALTER TABLE builds DROP COLUMN script',
      'CREATE INDEX builds_script ON builds (script_id)',
      // Where the script belongs in a recorded answer that is stored without it.
      'ALTER TABLE idempotency ADD COLUMN script_id INTEGER',
      'ALTER TABLE idempotency ADD COLUMN script_at INTEGER',
    ];
  },
};

async function moveScripts(q: Queries): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await q.all<{ seq: number; account_id: number; script: string }>(
      'SELECT seq, account_id, script FROM builds WHERE seq > :after ORDER BY seq LIMIT :limit',
      { after, limit: PAGE },
    );
    for (const { seq, account_id: accountId, script } of rows) {
      const scriptId = await moved(q, accountId, script);
      await q.run(
        `UPDATE builds SET script_id = :scriptId, script_excerpt = :excerpt, script_bytes = :bytes, script = ''
         WHERE seq = :seq`,
        { seq, scriptId, excerpt: firstCharacters(script, EXCERPT_CHARS), bytes: Buffer.byteLength(script) },
      );
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.seq;
  }
}

async function moved(q: Queries, accountId: number, script: string): Promise<number> {
  const sha256 = createHash('sha256').update(script).digest('hex');
  const found = await q.get<{ id: number }>(
    'SELECT script_id AS id FROM scripts WHERE account_id = :accountId AND sha256 = :sha256',
    { accountId, sha256 },
  );
  if (found) return found.id;
  const inserted = await q.get<{ id: number }>(
    `INSERT INTO scripts (account_id, sha256, bytes, script) VALUES (:accountId, :sha256, :bytes, :script)
     RETURNING script_id AS id`,
    { accountId, sha256, bytes: Buffer.byteLength(script), script },
  );
  return inserted?.id ?? 0;
}
