// Rows of many lists in two databases at once, each written by its own adapter: copies of rows that a service has made, with
// names, numbers and times that databases are known to order, compare and store differently.
import type { SqlValue, Store } from '../../../control-plane/platform/store/sql.js';
import { START } from '../../harness/harness.js';
import { createRandom } from './random-rows.js';

type Row = Record<string, SqlValue>;
type Random = ReturnType<typeof createRandom>;

/** Other collations order and compare these differently. */
const NAMES = [
  ...['ä', 'Ä', 'a\u0308', 'z', 'Z', 'a', 'A', 'Å', 'å', 'ı', 'I', 'i', 'İ', 'ß', 'ẞ', 'ss', 'é', 'e\u0301', 'ﬁ', 'fi'],
  ...[
    '한국',
    '각',
    '가',
    '日本',
    '🍎',
    '\u{10000}',
    '\u{10ffff}',
    '\uffff',
    '\ue000',
    'Abc',
    'aBC',
    'a b',
    'ab',
    'a-b',
  ],
  ...['10', '9', '09', 'a_b', 'a%b', 'a\\b', "a'b", 'a"b', ':a', '$1', '??', '::text', 'NULL', '\t', ' a', 'a '],
];
/** What free text can hold besides. NUL is stored in another form on PostgreSQL. */
const TEXTS = [...NAMES, 'a\0b', '\0', 'b\0', 'a\u{10fffe}0b', '\u{10fffe}', 'line\nline\r\n', '', ' '];
/** None is rounded, and sums of a few stay below 2^53. */
const NUMBERS = [0, 1, 2, 9, 10, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 40, 2 ** 50 - 1, 2 ** 50];

/** What is different in copies of a row, by column. */
interface Varied {
  /** One for each copy of a row of that table, with its value of this column. */
  readonly follows?: readonly [table: string, column: string];
  /** Which rows are copied. Default: all. */
  readonly where?: string;
  readonly copies?: number;
  /** Ids: of the form that the copied one has. */
  readonly ids?: readonly string[];
  readonly names?: readonly string[];
  readonly texts?: readonly string[];
  readonly numbers?: readonly string[];
  /** A few times, so that many are equal. */
  readonly times?: readonly string[];
  /** Sometimes null. */
  readonly nulls?: readonly string[];
  /** One of these. */
  readonly of?: Readonly<Record<string, readonly SqlValue[]>>;
  /** The next number of a key. */
  readonly next?: string;
}

const ENDED = ['succeeded', 'failed', 'cancelled', 'expired'];

/** In the order of their references. */
const varied: Readonly<Record<string, Varied>> = {
  tiers: {
    copies: 12,
    ids: ['tier'],
    names: ['name'],
    numbers: ['price_won'],
    nulls: ['default_xcode', 'image'],
    times: ['created_at'],
  },
  organizations: {
    copies: 12,
    ids: ['org_id', 'slug'],
    names: ['name'],
    times: ['created_at'],
    of: { status: ['active', 'suspended', 'closed'], payments_blocked: [0, 1] },
    next: 'id',
  },
  users: {
    copies: 14,
    ids: ['user_id', 'email'],
    names: ['name'],
    nulls: ['name', 'password_hash', 'language'],
    times: ['created_at'],
  },
  workspaces: { copies: 9, ids: ['workspace_id'], names: ['name'], times: ['created_at'], nulls: ['removed_at'] },
  members: { follows: ['users', 'user_id'], times: ['joined_at'], of: { role: ['admin', 'developer'] } },
  sessions: {
    copies: 9,
    ids: ['token_hash'],
    names: ['user_agent'],
    nulls: ['user_agent', 'confirmed_at'],
    times: ['created_at', 'seen_at'],
  },
  passkeys: {
    copies: 7,
    ids: ['passkey_id', 'credential_id'],
    names: ['name'],
    nulls: ['last_used_at'],
    times: ['created_at'],
    numbers: ['counter'],
  },
  api_keys: {
    copies: 14,
    ids: ['key_id', 'hash'],
    names: ['name'],
    nulls: ['last_used_at', 'expires_at', 'created_by', 'revoked_at'],
    times: ['created_at', 'last_used_at'],
  },
  invites: { copies: 9, ids: ['invite_id', 'email', 'token_hash'], nulls: ['invited_by'], times: ['created_at'] },
  notices: { copies: 9, ids: ['notice_id'], times: ['created_at'] },
  audit_log: {
    copies: 5,
    names: ['actor_name', 'target'],
    nulls: ['actor_name', 'actor_id', 'target', 'ip', 'account_id'],
    times: ['at'],
    of: { result: ['ok', 'not_found', 'invalid_request'] },
    numbers: ['count'],
    next: 'id',
  },
  api_errors: {
    copies: 14,
    texts: ['message', 'path', 'key_name'],
    nulls: ['key_name', 'path', 'method', 'build_id', 'reason_code'],
    times: ['at'],
    of: { fault: ['client', 'platform', 'unknown'], code: ['invalid_request', 'not_found', 'queue_full'] },
    next: 'id',
  },
  hosts: {
    copies: 14,
    ids: ['host_id', 'credential_hash'],
    names: ['name'],
    nulls: ['tier', 'last_seen_at', 'connected_at', 'agent_version', 'driver', 'inventory', 'reason', 'clock_skew_ms'],
    texts: ['reason', 'status_by'],
    numbers: ['clock_skew_ms', 'connections'],
    times: ['created_at', 'last_seen_at'],
    of: { status: ['pending', 'active', 'cordoned', 'draining', 'removed'], draining: [0, 1], shared: [0, 1] },
  },
  rollout_hosts: { follows: ['hosts', 'host_id'], nulls: ['started_at', 'error'], next: 'position' },
  host_links: { copies: 5, times: ['ended_at'], nulls: ['ended_at'], next: 'connected_at' },
  slots: { copies: 12, ids: ['slot_id'], nulls: ['retired_at'], next: 'position' },
  enrolment_tokens: {
    copies: 9,
    ids: ['token_hash', 'enrolment_id'],
    names: ['name'],
    nulls: ['name', 'tier', 'revoked_at'],
    times: ['created_at', 'expires_at'],
    numbers: ['uses'],
  },
  host_approvals: {
    copies: 7,
    ids: ['credential_hash', 'code'],
    names: ['name', 'os', 'chip'],
    times: ['created_at'],
  },
  macs: {
    copies: 16,
    ids: ['rental_id'],
    names: ['name'],
    nulls: ['xcode', 'ready_at', 'preparing_since', 'away_since'],
    times: ['created_at'],
    of: { state: ['ready', 'preparing', 'resetting', 'ended'] },
    numbers: ['generation', 'revision'],
  },
  rentals: { follows: ['macs', 'rental_id'], numbers: ['amount_won'], nulls: ['order_no', 'hours'] },
  jobs: {
    copies: 8,
    ids: ['job_id'],
    texts: ['message', 'error'],
    nulls: ['message', 'error', 'started_at', 'ended_at', 'progress', 'reason'],
    of: { status: ['done', 'failed'] },
    times: ['created_at'],
  },
  mac_states: { copies: 6, nulls: ['job_id'], times: ['at'], next: 'seq' },
  uploads: {
    copies: 9,
    ids: ['upload_id', 'manifest_key', 'project'],
    numbers: ['files', 'total_bytes'],
    times: ['created_at'],
    next: 'seq',
  },
  scripts: { copies: 12, ids: ['sha256'], texts: ['script'], next: 'script_id' },
  builds: {
    where: `status = 'failed'`,
    copies: 60,
    ids: ['build_id'],
    texts: ['script_excerpt', 'commit_title', 'commit_author', 'ref'],
    names: ['repo', 'project', 'repo_url'],
    numbers: ['log_bytes', 'script_bytes'],
    nulls: [
      'repo',
      'repo_url',
      'ref',
      'pr',
      'project',
      'commit_title',
      'commit_author',
      'exit_code',
      'started_at',
      'key_id',
    ],
    times: ['created_at', 'started_at', 'ended_at'],
    of: { status: ENDED, end_reason: [null, 'exit_nonzero'], pr: [1, 10, 9, 2 ** 31, 2 ** 53 - 2, 2 ** 53 - 1] },
    next: 'seq',
  },
  'builds that wait': {
    where: `status = 'queued'`,
    copies: 12,
    ids: ['build_id'],
    texts: ['script_excerpt'],
    times: ['created_at'],
    of: { priority: [-1, 0, 1] },
    next: 'seq',
  },
  events: { copies: 3, ids: ['event_id'], times: ['occurred_at'], next: 'sequence' },
  files: {
    copies: 24,
    ids: ['file_id', 'blob_key'],
    names: ['name'],
    numbers: ['bytes'],
    times: ['created_at'],
    next: 'attempt',
  },
  secrets: { copies: 9, ids: ['name'], times: ['created_at', 'updated_at'] },
  webhooks: { copies: 9, ids: ['webhook_id'], nulls: ['disabled_reason'], times: ['created_at'] },
  deliveries: {
    copies: 20,
    ids: ['delivery_id', 'event_id'],
    texts: ['error'],
    nulls: ['error', 'error_message', 'http_status', 'delivered_at', 'response'],
    of: { status: ['pending', 'delivered', 'failed'], http_status: [200, 410, 599] },
    times: ['created_at', 'delivered_at'],
    next: 'seq',
  },
  waitlist: {
    copies: 9,
    ids: ['entry_id'],
    numbers: ['units'],
    nulls: ['notified_at'],
    of: { status: ['notified', 'left'] },
    times: ['created_at'],
    next: 'seq',
  },
  orders: {
    copies: 16,
    ids: ['order_no'],
    nulls: ['start_at', 'paid_at', 'ended_at', 'key_id', 'end_reason'],
    numbers: ['amount_won'],
    of: { status: ['paid', 'ready', 'expired', 'canceled'] },
    times: ['created_at', 'paid_at'],
  },
  payments: {
    copies: 12,
    ids: ['order_no', 'tx_id'],
    nulls: ['tx_id', 'method', 'failure_code', 'paid_at', 'asked_at', 'fetch_at'],
    numbers: ['amount_won'],
    times: ['created_at', 'updated_at'],
  },
  top_ups: {
    follows: ['payments', 'order_no'],
    numbers: ['usd', 'credit_micro_usd', 'amount_won'],
    of: { state: ['pending', 'completed', 'expired'] },
    times: ['created_at'],
  },
  ledger: { copies: 12, ids: ['reference'], numbers: ['amount_won'], times: ['at'], next: 'entry_id' },
  credit_ledger: {
    copies: 12,
    ids: ['reference'],
    texts: ['reason'],
    numbers: ['micro_usd', 'balance_micro_usd', 'krw'],
    nulls: ['reason', 'krw'],
    times: ['at'],
    next: 'entry_id',
  },
  payment_cancellations: {
    copies: 9,
    ids: ['cancellation_id'],
    numbers: ['amount_won'],
    texts: ['last_error'],
    nulls: ['last_error', 'provider_ref', 'next_attempt_at', 'ended_at'],
    times: ['created_at'],
  },
  manual_settlements: {
    copies: 12,
    ids: ['id'],
    texts: ['note', 'settled_by'],
    numbers: ['amount_won'],
    nulls: ['note', 'settled_by', 'settled_at', 'amount_won'],
    times: ['created_at', 'settled_at'],
  },
  operator_problems: {
    copies: 12,
    ids: ['subject'],
    texts: ['message'],
    names: ['name'],
    nulls: ['seen_at', 'gone_at', 'reason'],
    times: ['begun_at', 'seen_at'],
    numbers: ['times'],
  },
  operator_notices: {
    copies: 9,
    ids: ['notice_id'],
    texts: ['error'],
    nulls: ['error', 'error_message', 'http_status', 'due_at'],
    times: ['created_at'],
    next: 'seq',
  },
  processes: { copies: 4, ids: ['process_id'], names: ['machine'], times: ['started_at'], numbers: ['lag_ms'] },
};

/** Writes copies into both, SQLite first. Returns the tables of which there was nothing to copy. */
export async function putHostileRows([one, two]: readonly [Store, Store], seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const missing: string[] = [];
  const copied = new Map<string, readonly Row[]>();
  for (const [name, how] of Object.entries(varied)) {
    const [table = ''] = name.split(' ', 1);
    const given = await one.all<Row>(`SELECT * FROM ${table} WHERE ${how.where ?? '1 = 1'}`);
    if (given.length === 0) missing.push(name);
    const last = how.next && (await one.get<{ n: number }>(`SELECT MAX("${how.next}") AS n FROM ${table}`));
    let next = Number(last ? last.n : 0);
    const rows = copiesOf(given.slice(0, 4), how, copied).map((row) => copyOf(row, how, random, () => ++next));
    for (const row of rows) for (const store of [one, two]) await insert(store, table, row);
    copied.set(name, rows);
  }
  const assigned = [
    'api_errors.id',
    'audit_log.id',
    'builds.seq',
    'deliveries.seq',
    'operator_notices.seq',
    'mac_states.seq',
  ];
  for (const [table, column] of assigned.map((name) => name.split('.'))) {
    // SQLite goes on behind the largest by itself.
    await two.get(`SELECT setval(pg_get_serial_sequence('${table}', '${column}'), MAX(${column})) FROM ${table}`);
  }
  // What a service has read of the slots is out of date.
  for (const store of [one, two]) await store.run('UPDATE hosts SET calendar_revision = calendar_revision + 1');
  return missing;
}

function copiesOf(
  given: readonly Row[],
  { follows, copies = 0 }: Varied,
  copied: ReadonlyMap<string, readonly Row[]>,
): Row[] {
  if (!follows) return given.flatMap((row) => Array.from({ length: Math.ceil(copies / given.length) }, () => row));
  const [table, column] = follows;
  return given.slice(0, 1).flatMap((row) => {
    const own = column in row ? column : 'order_id';
    return (copied.get(table) ?? []).map((other) => ({ ...row, [own]: other[column] ?? null }));
  });
}

async function insert(store: Store, table: string, row: Row): Promise<void> {
  // The number of an event is assigned, its build is generated.
  const { build_id, seq, ...event } = row;
  const columns = Object.keys(table === 'events' ? event : row);
  const list = (before: string, after: string) => columns.map((name) => `${before}${name}${after}`).join(', ');
  await store.run(`INSERT INTO ${table} (${list('"', '"')}) VALUES (${list(':', '')})`, row);
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
let unique = 0;

function copyOf(row: Row, how: Varied, random: Random, next: () => number): Row {
  const copy = { ...row };
  for (const name of how.names ?? [])
    copy[name] = `${random.of(NAMES)}${random.below(3) === 0 ? random.of(NAMES) : ''}`;
  for (const name of how.texts ?? []) copy[name] = `${random.of(TEXTS)}${random.of(TEXTS)}`;
  for (const name of how.numbers ?? []) copy[name] = random.of(NUMBERS);
  for (const name of how.times ?? [])
    copy[name] = Number(row[name] ?? row.created_at ?? START) - random.below(4) * 1_000;
  for (const [name, values] of Object.entries(how.of ?? {})) copy[name] = random.of(values);
  for (const name of how.nulls ?? []) if (random.below(3) === 0) copy[name] = null;
  for (const name of how.ids ?? []) copy[name] = idLike(String(row[name]), random);
  if (how.next) copy[how.next] = next();
  return copy;
}

function idLike(given: string, random: Random): string {
  const tail = Array.from({ length: 11 }, () => random.of([...ALPHABET])).join('') + (unique++).toString(36);
  if (given.startsWith('RT-') || given.startsWith('TU-'))
    return `${given.slice(0, 2)}-${tail
      .slice(0, 12)
      .toUpperCase()
      .replace(/(.{4})(?=.)/g, '$1-')}`;
  if (given.includes('@')) return `${tail}@example.com`;
  if (/^[0-9a-f]{64}$/.test(given)) return `${Buffer.from(tail).toString('hex').padEnd(64, '0')}`;
  return `${/^[A-Za-z]+_/.exec(given)?.[0] ?? 'x-'}${tail}`;
}
