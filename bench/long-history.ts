// Fills a migrated database with builds of 400 days and their rows in other tables. Half of them belong to the first account.
import Database from 'better-sqlite3';
import type { Queries } from '../control-plane/platform/store/sql.js';

export const ACCOUNTS = 200;
export const MACS = 30;
const DAY_MS = 86_400_000;
export const DAYS = 400;
const REPOS = 20;
/** How long deliveries and errors are kept. */
const RECENT_DAYS = 30;

export interface History {
  /** Number of ended builds of all accounts. */
  readonly builds: number;
  /** Number of queued builds, spread evenly over all accounts except the first, which has 200. */
  readonly queued: number;
  readonly now: number;
}

const SCRIPT = `set -o pipefail\nxcodebuild -scheme App -destination 'generic/platform=iOS' build | tee build.txt\n${'# a comment\n'.repeat(10)}`;
const PAYLOAD = JSON.stringify({ schema_version: 1, build: { note: 'x'.repeat(600) } });
const FAILURE = JSON.stringify({
  fault: 'customer',
  step: 'script',
  summary: 'The script ended with exit code 65.',
  location: null,
  reasonCode: 'xcodebuild_failed',
  suggestion: 'Look at the log.',
  logExcerptLines: [10, 20],
});

export const accountOf = (i: number) => (i % 2 === 0 ? 1 : 2 + ((i >> 1) % (ACCOUNTS - 1)));
export const rentalOf = (account: number, i: number) => `rt_${account}_${i % MACS}`;

/** Creates accounts with their Macs; the last Mac of each is ready, the others have ended. */
export async function addAccounts(q: Queries, now: number): Promise<void> {
  await q.run(`INSERT INTO tiers (tier, name, price_won, spec, xcode_versions, runtimes, tools, sales_open,
    max_days, created_at) VALUES ('m4', 'm4', 1, '{"chip":"M4","cpu_cores":8,"memory_gb":16,"disk_gb":256,"macos":"15"}',
    '["16.0"]', '[]', '[]', 1, 30, 0)`);
  await q.run(`INSERT INTO hosts (host_id, name, tier, credential_hash, status, connected, created_at)
    VALUES ('host_1', 'h', 'm4', 'x', 'active', 1, 0)`);
  for (let account = 1; account <= ACCOUNTS; account++) {
    const name = `account-${account}`;
    await q.run(
      `INSERT INTO organizations (id, org_id, name, slug, status, created_at)
       VALUES (:account, :orgId, :name, :name, 'active', 0)`,
      { account, orgId: `org_${account}`, name },
    );
    await q.run(
      `INSERT INTO workspaces (workspace_id, account_id, name, created_at) VALUES (:ws, :account, 'default', 0)`,
      { account, ws: `ws_${account}` },
    );
    await q.run(
      `INSERT INTO scripts (script_id, account_id, sha256, bytes, script)
       VALUES (:account, :account, 'long-history', :bytes, :script)`,
      { account, bytes: SCRIPT.length, script: SCRIPT },
    );
    for (let mac = 0; mac < MACS; mac++) {
      const slot = (account - 1) * MACS + mac + 1;
      const ready = mac === MACS - 1;
      await q.run(
        `INSERT INTO slots (slot_id, host_id, tier, position, created_at) VALUES (:slot, 'host_1', 'm4', :position, 0)`,
        { slot: `slot_${slot}`, position: slot },
      );
      await q.run(
        `INSERT INTO macs (rental_id, account_id, slot_id, tier, xcode, runtimes, tools, state, ready_at, usable_until,
           created_at)
         VALUES (:rental, :account, :slot, 'm4', '16.0', '[]', '[]', :state, 0, :end, 0)`,
        {
          account,
          slot: `slot_${slot}`,
          rental: rentalOf(account, mac),
          state: ready ? 'ready' : 'ended',
          end: ready ? now + DAY_MS : now - DAY_MS,
        },
      );
      await q.run(
        `INSERT INTO rentals (rental_id, hours, amount_won, starts_at, ends_at, ended_at)
         VALUES (:rental, 24, 1, 0, :end, :ended)`,
        {
          rental: rentalOf(account, mac),
          end: ready ? now + DAY_MS : now - DAY_MS,
          ended: ready ? null : now - DAY_MS,
        },
      );
    }
  }
}

/** Writes builds, events, deliveries and errors. Drops the indexes first and creates them again afterwards. */
export function addHistory(file: string, history: History): void {
  const db = new Database(file);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  db.pragma('cache_size = -512000');
  const indexes = db
    .prepare(
      `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL
       AND tbl_name IN ('builds', 'events', 'deliveries', 'api_errors')`,
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) db.exec(`DROP INDEX ${name}`);
  db.transaction(() => {
    addEnded(db, history);
    addQueued(db, history);
  })();
  for (const { sql } of indexes) db.exec(sql);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

const BUILD = `INSERT INTO builds (build_id, account_id, workspace_id, key_id, status, queue_class, repo, pr, rental_id, host_id,
    timeout_min, priority, clean_tree, queue_until_rental, attempt, created_at, started_at, attempt_started_at, ended_at,
    exit_code, end_reason, event_sequence, failure, history_key, log_bytes, script_id, script_excerpt, script_bytes)
  VALUES (:id, :account, :ws, 'key_1', :status, '["key_1","",""]', :repo, :pr, :rental, :host, 60, 0, 0, 0, 1, :createdAt,
    :startedAt, :startedAt, :endedAt, :exitCode, :endReason, 3, :failure, :historyKey, :logBytes, :account, '${SCRIPT.replaceAll("'", "''")}', ${SCRIPT.length})`;

function addEnded(db: Database.Database, { builds, now }: History): void {
  const insertBuild = db.prepare(BUILD);
  const insertEvent = db.prepare(
    `INSERT INTO events (event_id, account_id, subject_kind, subject_id, event_type, sequence, occurred_at, payload, fanned_out)
     VALUES (:event, :account, 'build', :id, :type, :sequence, :at, '${PAYLOAD}', 1)`,
  );
  const insertDelivery = db.prepare(
    `INSERT INTO deliveries (delivery_id, account_id, receiver, window_key, subject_id, event_id, event_type, status, attempt,
       tries, http_status, request, response, created_at, delivered_at)
     VALUES (:delivery, :account, :webhook, :webhook, :id, :event, :type, :status, 1, 1, :http, :exchange, :exchange, :at, :at)`,
  );
  const insertError = db.prepare(
    `INSERT INTO api_errors (account_id, key_id, kind, at, code, fault, message, build_id, reason_code)
     VALUES (:account, 'key_1', 'build', :at, 'xcodebuild_failed', 'customer', 'It failed.', :id, 'xcodebuild_failed')`,
  );
  const exchange = JSON.stringify({ headers: { 'content-type': 'application/json' }, body: null });
  for (let i = 0; i < builds; i++) {
    const account = accountOf(i);
    const createdAt = now - DAYS * DAY_MS + Math.floor((i * DAYS * DAY_MS) / builds) - 3_600_000;
    const kind = i % 100;
    const failed = kind >= 80 && kind < 97;
    const endReason = kind < 80 ? 'succeeded' : failed ? 'exit_nonzero' : 'cancelled_by_user';
    const id = `rb_${i.toString(36).padStart(16, '0')}`;
    const endedAt = createdAt + 600_000;
    insertBuild.run({
      id,
      account,
      ws: `ws_${account}`,
      createdAt,
      startedAt: createdAt + 1_000,
      endedAt,
      endReason,
      status: kind < 80 ? 'succeeded' : failed ? 'failed' : kind === 99 && i % 1_000 === 99 ? 'expired' : 'cancelled',
      repo: `owner/app-${(i >> 3) % REPOS}`,
      pr: i % 3 === 0 ? 1 + ((i >> 4) % 20) : null,
      rental: rentalOf(account, Math.floor((i / builds) * MACS)),
      host: 'host_1',
      exitCode: failed ? 65 : kind < 80 ? 0 : null,
      failure: failed ? FAILURE : null,
      historyKey: `h${(i >> 3) % 40}`,
      logBytes: 0,
    });
    const recent = createdAt > now - RECENT_DAYS * DAY_MS;
    for (const [n, type] of ['build.queued', 'build.started', failed ? 'build.failed' : 'build.succeeded'].entries()) {
      const event = `evt_${i.toString(36)}_${n}`;
      const at = n === 2 ? endedAt : createdAt + n;
      insertEvent.run({ event, account, id, type, sequence: n + 1, at });
      if (n < 2 || !recent) continue;
      const status = i % 500 === 0 ? 'failed' : 'delivered';
      insertDelivery.run({
        delivery: `dl_${i.toString(36)}`,
        account,
        webhook: `wh_${account}`,
        id,
        event,
        type,
        status,
        exchange,
        at,
        http: status === 'failed' ? 500 : 200,
      });
    }
    if (failed && recent) insertError.run({ account, id, at: endedAt });
  }
}

function addQueued(db: Database.Database, { queued, now }: History): void {
  const insert = db.prepare(BUILD);
  for (let i = 0; i < queued; i++) {
    const account = i < 200 ? 1 : 2 + (i % (ACCOUNTS - 1));
    insert.run({
      id: `rb_queued${i.toString(36).padStart(10, '0')}`,
      account,
      ws: `ws_${account}`,
      status: 'queued',
      repo: `owner/app-${i % REPOS}`,
      pr: null,
      rental: null,
      host: null,
      createdAt: now - 60_000 + i,
      startedAt: null,
      endedAt: null,
      exitCode: null,
      endReason: null,
      failure: null,
      historyKey: `h${i % 40}`,
      logBytes: null,
    });
  }
}
