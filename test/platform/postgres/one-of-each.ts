// A row of everything that lists show and `makeResources` does not make.
import type { Test } from 'tap';
import type { Harness } from '../../harness/harness.js';

/** As the values of `:order` and so on. Times are `:now`. */
const ROWS = [
  `UPDATE builds SET status = 'failed', ended_at = created_at, end_reason = 'exit_nonzero' WHERE build_id = :build`,
  `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, created_at, updated_at)
   VALUES (:order, :account, 'order', 'local', 'confirming', 5, :now, :now)`,
  `INSERT INTO ledger (account_id, order_no, kind, amount_won, reference, at)
   VALUES (:account, :order, 'charge', 5, 'r-1', :now)`,
  `INSERT INTO credit_ledger (account_id, kind, micro_usd, balance_micro_usd, reference, at)
   VALUES (:account, 'gift', 5, 5, 'c-1', :now)`,
  `INSERT INTO payment_cancellations (cancellation_id, order_no, account_id, amount_won, reason, status, created_at)
   VALUES ('pc_0000000000000000', :order, :account, 5, 'a', 'open', :now)`,
  `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
   VALUES ('pc_0000000000000000', 'refused', :order, :account, 5, :now)`,
  `INSERT INTO operator_problems (kind, subject, name, message, begun_at, times)
   VALUES ('host.offline', 'host_0000000000000000', 'mac', 'away', :now, 1)`,
  `INSERT INTO operator_notices (notice_id, kind, resolved, problems, created_at, announced, mail_ids, webhook, attempts)
   VALUES ('notice_0000000000000000', 'host.offline', 0, '[]', :now, 1, '[]', 'none', 0)`,
  `INSERT INTO host_approvals (credential_hash, code, name, ip, os, chip, agent_version, expires_at, created_at)
   VALUES ('${'a'.repeat(64)}', 'ABCD-EFGH', 'mac', '::1', 'macOS', 'M4', '1', :now + 1000000000, :now)`,
  `INSERT INTO api_errors (account_id, kind, at, code, http_status, fault, message, path, key_name)
   VALUES (:account, 'api', :now, 'not_found', 404, 'client', 'x', '/x', 'k')`,
  `INSERT INTO rollouts (rollout_id, version, status, canaries, created_at)
   VALUES ('rollout_0000000000000000', '1.0.0', 'done', 1, :now)`,
  `INSERT INTO rollout_hosts (rollout_id, host_id, position, canary, state)
   SELECT 'rollout_0000000000000000', host_id, 0, 1, 'done' FROM hosts LIMIT 1`,
  `INSERT INTO processes (process_id, version, schema_id, key_id, machine, pid, started_at, seen_at, connections, lag_ms)
   VALUES ('cp_1', '1', 1, 'k', 'm', 1, :now, :now, 0, 0)`,
];

interface Given {
  readonly accountId: number;
  readonly orgId: string;
  readonly cookie: string;
  readonly build: string;
  readonly order: string;
}

/** Returns the token of a link to the build. */
export async function makeOthers(
  t: Test,
  h: Harness,
  { accountId, orgId, cookie, build, order }: Given,
): Promise<string> {
  const submit = () =>
    h.call('POST', '/builds', { body: { script: 'exit 1', repo: 'apple/swift', queue_until_rental: true } });
  const ended = await submit();
  t.equal(ended.statusCode, 201, ended.body);
  t.equal((await submit()).statusCode, 201);
  const link = await h.callConsole('POST', `/v1/organizations/${orgId}/builds/${build}/share`, {
    key: null,
    headers: { cookie },
    body: {},
  });
  t.ok(link.statusCode < 300, link.body);
  const params = { account: accountId, order, build: ended.json().id, now: h.clock.now() };
  for (const sql of ROWS) {
    const used = Object.entries(params).filter(([name]) => sql.includes(`:${name}`));
    await h.store.run(sql, Object.fromEntries(used));
  }
  await h.hosts.createEnrolment({ tier: 'm4', slots: 1 });
  return String(link.json().url).split('/').at(-1) ?? '';
}
