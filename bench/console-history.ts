// Fills the database of a service with what an organization of 50 people has after some months: builds with their
// events, deliveries and errors, orders, files, notices, entries of the audit log.
import Database from 'better-sqlite3';

const DAY_MS = 86_400_000;
const SCRIPT = "set -o pipefail\nxcodebuild -scheme App -destination 'generic/platform=iOS' build | tee build.txt\n";
const PAYLOAD = JSON.stringify({ schema_version: 1, build: { note: 'x'.repeat(600) } });
const EXCHANGE = JSON.stringify({ headers: { 'content-type': 'application/json' }, body: PAYLOAD });
const FAILURE = JSON.stringify({
  fault: 'customer',
  step: 'script',
  summary: 'The script ended with exit code 65.',
  location: null,
  reasonCode: 'xcodebuild_failed',
  suggestion: 'Look at the log.',
  logExcerptLines: [10, 20],
});

export interface ConsoleHistory {
  readonly accountId: number;
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly rentals: readonly string[];
  /** Builds that have ended, over 90 days. */
  readonly builds: number;
  /** Builds that wait. */
  readonly queued: number;
  readonly people: number;
  /** ms since the epoch. */
  readonly now: number;
}

/** @param file of the database; a service may have it open */
export function addConsoleHistory(file: string, history: ConsoleHistory): void {
  const db = new Database(file);
  db.pragma('foreign_keys = OFF');
  db.transaction(() => {
    addPeople(db, history);
    addBuilds(db, history);
    addOrders(db, history);
    addMessages(db, history);
  })();
  db.exec('ANALYZE');
  db.close();
}

function addPeople(db: Database.Database, { accountId, workspaceId, people, now }: ConsoleHistory): void {
  const user = db.prepare(`INSERT INTO users (user_id, email, name, created_at) VALUES (?, ?, ?, ?)`);
  const member = db.prepare(`INSERT INTO members (account_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)`);
  const place = db.prepare(`INSERT INTO member_workspaces (account_id, user_id, workspace_id) VALUES (?, ?, ?)`);
  const key = db.prepare(
    `INSERT INTO api_keys (key_id, account_id, workspace_id, name, prefix, hash, levels, cidrs, created_at)
     VALUES (?, ?, ?, ?, 'cm_abcd', ?, '["read","build"]', '[]', ?)`,
  );
  for (let i = 1; i < people; i++) {
    const id = `usr_${String(i).padStart(16, '0')}`;
    user.run(id, `person-${i}@example.com`, `Person ${i}`, now);
    member.run(accountId, id, i % 10 === 0 ? 'admin' : 'developer', now);
    if (i % 10 !== 0) place.run(accountId, id, workspaceId);
    key.run(`key_${String(i).padStart(16, '0')}`, accountId, workspaceId, `Key ${i}`, `hash-${i}`, now);
  }
}

function addBuilds(db: Database.Database, history: ConsoleHistory): void {
  const { accountId, workspaceId, webhookId, rentals, builds, queued, now } = history;
  db.prepare(
    `INSERT INTO scripts (script_id, account_id, sha256, bytes, script)
     VALUES (1, ${accountId}, 'console-history', ?, ?)`,
  ).run(SCRIPT.length, SCRIPT);
  const build = db.prepare(
    `INSERT INTO builds (build_id, account_id, workspace_id, key_id, status, queue_class, repo, pr, rental_id, timeout_min,
       priority, clean_tree, queue_until_rental, attempt, created_at, started_at, attempt_started_at, ended_at, exit_code,
       end_reason, event_sequence, failure, history_key, log_bytes, script_id, script_excerpt, script_bytes)
     VALUES (:id, ${accountId}, '${workspaceId}', 'key_0000000000000001', :status, '["","",""]', :repo, :pr, :rental, 60, 0,
       0, 0, 1, :created, :started, :started, :ended, :exit, :reason, 3, :failure, :historyKey, 0, 1, :script, ${SCRIPT.length})`,
  );
  const event = db.prepare(
    `INSERT INTO events (event_id, account_id, subject_kind, subject_id, event_type, sequence, occurred_at, payload, fanned_out)
     VALUES (?, ${accountId}, 'build', ?, ?, ?, ?, '${PAYLOAD}', 1)`,
  );
  const delivery = db.prepare(
    `INSERT INTO deliveries (delivery_id, account_id, receiver, window_key, subject_id, event_id, event_type, status, attempt,
       tries, http_status, request, response, created_at, delivered_at)
     VALUES (?, ${accountId}, '${webhookId}', '${webhookId}', ?, ?, ?, 'delivered', 1, 1, 200, :exchange, :exchange, ?, ?)`,
  );
  const error = db.prepare(
    `INSERT INTO api_errors (account_id, key_id, kind, at, code, fault, message, build_id, reason_code)
     VALUES (${accountId}, 'key_1', 'build', ?, 'xcodebuild_failed', 'customer', 'It failed.', ?, 'xcodebuild_failed')`,
  );
  const artifact = db.prepare(
    `INSERT INTO files (file_id, account_id, workspace_id, build_id, attempt, name, bytes, sha256, blob_key, created_at)
     VALUES (?, ${accountId}, '${workspaceId}', ?, 1, 'build/App.ipa', 1000, 'x', ?, ?)`,
  );
  for (let i = 0; i < builds + queued; i++) {
    const ended = i < builds;
    const id = `rb_${i.toString(36).padStart(16, '0')}`;
    const created = ended ? now - 90 * DAY_MS + Math.floor((i * 90 * DAY_MS) / builds) - 3_600_000 : now - 1_000;
    const failed = ended && i % 6 === 0;
    build.run({
      id,
      created,
      repo: `owner/app-${i % 20}`,
      pr: i % 3 === 0 ? i % 40 : null,
      status: ended ? (failed ? 'failed' : 'succeeded') : 'queued',
      rental: ended ? rentals[i % rentals.length] : null,
      started: ended ? created + 1_000 : null,
      ended: ended ? created + 600_000 : null,
      exit: ended ? (failed ? 65 : 0) : null,
      failure: failed ? FAILURE : null,
      reason: ended ? (failed ? 'exit_nonzero' : 'succeeded') : null,
      historyKey: `h${i % 40}`,
      script: SCRIPT,
    });
    if (!ended) continue;
    const types = ['build.queued', 'build.started', failed ? 'build.failed' : 'build.succeeded'];
    for (const [n, type] of types.entries()) event.run(`evt_${i}_${n}`, id, type, n + 1, created + n);
    if (created > now - 30 * DAY_MS) {
      const last = [`dl_${i}`, id, `evt_${i}_2`, types[2], created, created] as const;
      delivery.run(...last, { exchange: EXCHANGE });
      if (failed) error.run(created, id);
    }
    if (i % 10 === 0) artifact.run(`file_${i}`, id, `blob_${i}`, created);
  }
}

function addOrders(db: Database.Database, { accountId, now }: ConsoleHistory): void {
  const order = db.prepare(
    `INSERT INTO orders (order_no, account_id, kind, status, tier, hours, units, amount_won, start_at, setup, items,
       pay_expires_at, paid_at, created_at)
     VALUES (?, ${accountId}, 'rental', 'ready', 'm4', 24, 1, 10000, ?, '{"xcode":null}', '[]', ?, ?, ?)`,
  );
  const payment = db.prepare(
    `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, paid_at, created_at, updated_at)
     VALUES (?, ${accountId}, 'order', 'sandbox', 'paid', 10000, ?, ?, ?)`,
  );
  for (let i = 0; i < 300; i++) {
    const at = now - i * 3 * 3_600_000 - 1;
    const no = `RT-0000-0000-${String(i).padStart(4, '0')}`;
    order.run(no, at, at, at, at);
    payment.run(no, at, at, at);
  }
}

function addMessages(db: Database.Database, { accountId, workspaceId, now }: ConsoleHistory): void {
  const notice = db.prepare(
    `INSERT INTO notices (notice_id, account_id, kind, subject, text, created_at)
     VALUES (?, ${accountId}, 'test', 'Something happened', 'So it is.', ?)`,
  );
  const audit = db.prepare(
    `INSERT INTO audit_log (at, account_id, actor_kind, actor_id, actor_name, ip, action, target, result, count)
     VALUES (?, ${accountId}, 'person', 'usr_1', 'person@example.com', '192.0.2.1', 'secret.set', 'TOKEN', 'ok', 1)`,
  );
  const upload = db.prepare(
    `INSERT INTO uploads (upload_id, account_id, workspace_id, seq, project, manifest_sha256, manifest_key, files,
       total_bytes, ready, expires_at, created_at)
     VALUES (?, ${accountId}, '${workspaceId}', ?, 'app', 'x', ?, 100, 100000, 1, ?, ?)`,
  );
  for (let i = 0; i < 5_000; i++) {
    const at = now - i * 600_000;
    audit.run(at);
    if (i < 500) notice.run(`notice_${i}`, at);
    if (i < 500) upload.run(`up_${i}`, i + 1, `key_${i}`, now + DAY_MS, at);
  }
}
