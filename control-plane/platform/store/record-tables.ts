// What counts as an account's records: for every table of the database, the columns of variable size that count, and
// why the others do not. The triggers that keep the ledger, the recount and the test of the schema follow from it.

/** Why a column of text or bytes does not count by its size. What it takes is part of ROW_BYTES. */
export const fixedReasons = {
  id: 'an identifier that the service makes',
  word: 'one of a few words, or a rate or time as text',
  hash: 'a hash or a nonce',
} as const;

type FixedReason = keyof typeof fixedReasons;

/** A table whose rows belong to an account, by its column `account_id`. */
export interface CountedTable {
  /** Columns whose bytes count, beside ROW_BYTES for the row. */
  readonly counts: readonly string[];
  readonly fixed: Readonly<Partial<Record<FixedReason, readonly string[]>>>;
}

/** A table that does not count. */
export interface UncountedTable {
  readonly because: string;
}

/** What a row counts beside its columns of variable size: identifiers, numbers and entries of indexes, roughly. */
export const ROW_BYTES = 256;

const operators = 'written by operators and hosts; belongs to no account';
const person = 'belongs to a person, not to an account; bounded per person';
const money = 'written only when money has moved';

export const recordTables: Readonly<Record<string, CountedTable | UncountedTable>> = {
  // Builds.
  builds: {
    counts: [
      'script_excerpt',
      'project',
      'repo',
      'repo_url',
      'ref',
      'commit',
      'xcode',
      'labels',
      'queue_class',
      'notify_url',
      'notify_secret',
      'steps',
      'failure',
      'warnings',
      'finish_result',
      'commit_title',
      'commit_author',
      'commit_state_error',
      'commit_state_message',
    ],
    fixed: {
      id: ['build_id', 'workspace_id', 'key_id', 'upload_id', 'pinned_rental_id', 'rental_id', 'host_id', 'rerun_of'],
      word: ['status', 'stop_reason', 'end_reason', 'commit_state'],
      hash: ['history_key', 'commit_sha'],
    },
  },
  scripts: { counts: ['script'], fixed: { hash: ['sha256'] } },
  commit_statuses: { counts: [], fixed: { id: ['build_id'], word: ['wanted'] } },
  files: {
    counts: ['name'],
    fixed: { id: ['file_id', 'workspace_id', 'build_id', 'blob_key'], hash: ['sha256'] },
  },
  secrets: { counts: ['name', 'ciphertext'], fixed: { id: ['key_id'], hash: ['nonce'] } },
  idempotency: { counts: ['key', 'content_type', 'body'], fixed: { hash: ['fingerprint'] } },
  api_errors: {
    counts: ['message', 'failure_message', 'method', 'path', 'key_name', 'request_id'],
    fixed: { id: ['key_id', 'build_id'], word: ['kind', 'code', 'fault', 'reason_code'] },
  },

  // Events and what is sent.
  events: {
    counts: ['payload'],
    fixed: { id: ['event_id', 'subject_id', 'build_id'], word: ['subject_kind', 'event_type'] },
  },
  webhooks: {
    counts: ['url', 'events', 'test', 'secret', 'previous_secret'],
    fixed: { id: ['webhook_id'], word: ['status', 'disabled_reason'] },
  },
  deliveries: {
    counts: ['error', 'error_message', 'request', 'response'],
    fixed: {
      id: ['delivery_id', 'receiver', 'window_key', 'subject_id', 'event_id'],
      word: ['event_type', 'status'],
    },
  },
  notices: {
    counts: ['params'],
    fixed: { id: ['notice_id'], word: ['code', 'kind'] },
  },

  // Uploads; their manifests and contents are files, and count as contents.
  uploads: {
    counts: ['project'],
    fixed: { id: ['upload_id', 'workspace_id', 'manifest_key'], hash: ['manifest_sha256'] },
  },
  blobs: { counts: [], fixed: { id: ['blob_key'], hash: ['sha256'] } },
  blob_accounts: { because: 'one row of numbers per account' },

  // Macs and orders.
  orders: {
    counts: ['setup', 'items', 'names'],
    fixed: { id: ['order_no', 'key_id', 'tier'], word: ['kind', 'status', 'end_reason'] },
  },
  holds: { counts: [], fixed: { id: ['order_no', 'slot_id', 'rental_id'] } },
  waitlist: { counts: [], fixed: { id: ['entry_id', 'tier'], word: ['status'] } },
  macs: {
    counts: ['name', 'xcode', 'runtimes', 'tools', 'made_from', 'making'],
    fixed: { id: ['rental_id', 'slot_id', 'tier', 'build_id'], word: ['state'] },
  },
  mac_names: { counts: ['name_key'], fixed: { id: ['holder'] } },
  jobs: {
    counts: ['error', 'message', 'progress', 'reason', 'target'],
    fixed: { id: ['job_id', 'rental_id'], word: ['kind', 'status', 'when'] },
  },
  rentals: { because: 'one row per Mac, of the size of its numbers; `granted` is written by operators' },
  mac_states: { because: 'written by the service when a Mac changes; kept for a limited time' },

  // The organization.
  organizations: { because: 'created, named and limited by operators' },
  workspaces: { counts: ['name'], fixed: { id: ['workspace_id'] } },
  members: { counts: [], fixed: { id: ['user_id'], word: ['role'] } },
  member_workspaces: { counts: [], fixed: { id: ['user_id', 'workspace_id'] } },
  invites: {
    counts: ['email', 'workspace_ids'],
    fixed: { id: ['invite_id', 'invited_by'], word: ['role'], hash: ['token_hash'] },
  },
  api_keys: {
    counts: ['name', 'cidrs', 'leaked_url'],
    fixed: {
      id: ['key_id', 'workspace_id', 'created_by'],
      word: ['levels', 'revoked_reason'],
      hash: ['prefix', 'hash'],
    },
  },
  notice_reads: { because: 'one row of numbers per member' },
  audit_log: {
    counts: ['actor_name', 'target', 'ip'],
    fixed: { id: ['actor_id'], word: ['actor_kind', 'action', 'result'] },
  },
  account_usage: { because: 'the ledger itself, one row of numbers per account' },

  // Money.
  top_ups: {
    counts: [],
    fixed: { id: ['order_id', 'user_id'], word: ['state', 'fx_day', 'fx_source', 'krw_per_usd'] },
  },
  payments: {
    counts: ['tx_id', 'method', 'receipt_url', 'failure_code'],
    fixed: { id: ['order_no'], word: ['kind', 'provider', 'status'] },
  },
  payment_cancellations: { because: money },
  ledger: { because: money },
  credit_ledger: { because: money },
  credit_payments: { because: money },
  consents: { because: 'one small row for each time that a person pays an order' },
  manual_settlements: { because: money },
  local_payments: { because: 'of the payment provider for development' },
  exchange_rates: { because: operators },

  // People.
  users: { because: person },
  sessions: { because: person },
  totp_secrets: { because: person },
  recovery_codes: { because: person },
  passkeys: { because: person },
  identities: { because: person },
  used_challenges: {
    because: 'belongs to no account; one row for each use of a passkey or of the identity provider, for some minutes',
  },
  password_resets: { because: person },
  mails: { because: 'addressed to people; deleted soon after they are sent' },

  // Logs.
  build_logs: { because: 'the bytes of a log are counted when its build has ended' },
  log_pieces: { because: 'the same' },

  // The service.
  meta: { because: 'single values of the service' },
  migrations: { because: 'single values of the service' },
  kept_objects: { because: 'one row for each object; what objects hold counts as contents, artifacts or logs' },
  tiers: { because: operators },
  hosts: { because: operators },
  slots: { because: operators },
  image_offers: { because: operators },
  host_images: { because: operators },
  image_pulls: { because: operators },
  enrolment_tokens: { because: operators },
  host_approvals: { because: operators },
  host_links: { because: operators },
  rollouts: { because: operators },
  rollout_hosts: { because: operators },
  processes: { because: operators },
  process_tasks: { because: operators },
  operator_problems: { because: operators },
  operator_notices: { because: operators },
};

/** The tables that count, with the columns whose bytes count. */
export const countedTables: readonly { readonly table: string; readonly columns: readonly string[] }[] = Object.entries(
  recordTables,
).flatMap(([table, row]) => ('counts' in row ? [{ table, columns: row.counts }] : []));

/**
 * Returns SQL of the bytes that the columns of a row count; null counts nothing.
 *
 * @param row prefix of the columns, e.g. `NEW.`
 */
export function bytesOfColumns(columns: readonly string[], row = ''): string {
  if (columns.length === 0) return '0';
  return columns.map((name) => `COALESCE(octet_length(${row}"${name}"), 0)`).join(' + ');
}
