// Suggested requests per error code, complete and ready to send. The code that throws an error can attach more
// specific ones.
import type { Corrected, ErrorCode, NextRequest } from '../domain/error-catalog.js';
import type { Suggest } from './api-envelope.js';
import type { RouteIndex } from './route-index.js';

type Suggestion = (about: {
  readonly code: ErrorCode;
  /** Root of the API, e.g. `/api/v1`. */
  base: string;
  detail: Readonly<Record<string, unknown>>;
  params: Readonly<Record<string, unknown>>;
  /** The failed request if it is a GET; otherwise empty. */
  same: readonly NextRequest[];
  /** The failed request with a changed body. */
  instead: (action: string, body: Record<string, unknown>) => readonly NextRequest[];
}) => readonly NextRequest[];

const get =
  (action: string, path: string): Suggestion =>
  ({ base }) => [{ action, method: 'GET', path: base + path }];

const start: Suggestion = () => [{ action: 'read_start', method: 'GET', path: '/agent-start.md' }];
/** For errors about which endpoints exist; for an error of one endpoint, the page of its code is shorter. */
const reference = get('read_reference', '/openapi.json');
const page: Suggestion = ({ code }) => [
  { action: 'read_about_this_code', method: 'GET', path: `/docs/errors/${code}.md` },
];
const me = get('show_key', '/me');
const catalog = get('list_tiers', '/catalog');
const status = get('show_status', '/status');
const queue = get('show_queue', '/queue');
const builds = get('list_builds', '/builds');
const orders = get('list_orders', '/orders');
const waitlist = get('list_waitlist', '/waitlist');
const secrets = get('list_secrets', '/secrets');
const webhooks = get('list_webhooks', '/webhooks');
const again: Suggestion = (about) => (about.same.length > 0 ? about.same : me(about));
const sameOnly: Suggestion = ({ same }) => same;

const table: Partial<Record<ErrorCode, Suggestion>> = {
  api_key_required: start,
  invalid_api_key: start,
  organization_required: start,
  organization_suspended: start,
  ip_not_allowed: start,
  forbidden: me,
  account_blocked: me,
  insufficient_scope: me,
  api_key_read_only: me,
  api_key_write_only: start,
  rate_limited: again,
  internal_error: sameOnly,
  uploads_unavailable: sameOnly,
  storage_full: sameOnly,
  secrets_unavailable: sameOnly,
  not_found: reference,
  method_not_allowed: reference,
  payload_too_large: page,
  invalid_json: page,
  request_incomplete: page,
  invalid_request: page,
  invalid_query: page,
  invalid_build: page,
  invalid_script: page,
  one_source_only: page,
  invalid_repo: page,
  invalid_repo_url: page,
  repo_host_not_allowed: page,
  invalid_ref: page,
  invalid_commit: page,
  invalid_manifest: page,
  manifest_too_large: page,
  empty_upload: page,
  too_many_files: page,
  upload_too_large: page,
  upload_not_found: page,
  invalid_gzip: page,
  invalid_tar: page,
  gzip_required: page,
  invalid_blob: ({ base, params }) => one('show_upload', `${base}/uploads/`, params.id),
  blob_not_in_manifest: ({ base, params }) => one('show_upload', `${base}/uploads/`, params.id),
  invalid_offset: ({ base, params }) => one('read_log', `${base}/builds/`, params.build_id, '/log'),
  invalid_wait: page,
  invalid_timeout: page,
  invalid_time: page,
  invalid_from: page,
  invalid_to: page,
  invalid_idempotency_key: page,
  idempotency_conflict: page,
  idempotency_reply_lost: status,
  invalid_secret_value: page,
  invalid_tier: catalog,
  invalid_xcode: catalog,
  xcode_not_available: catalog,
  invalid_setup: catalog,
  no_capacity: catalog,
  sales_closed: catalog,
  no_active_rental: catalog,
  rental_not_found: status,
  rental_not_active: status,
  invalid_target: status,
  invalid_when: ({ instead }) => instead('wait_for_the_build', { when: 'after_build' }),
  rental_busy: ({ instead }) => instead('wait_for_the_build', { when: 'after_build' }),
  reset_limit: ({ instead }) => instead('keep_the_caches', { keep_cache: true }),
  order_not_found: orders,
  order_expired: catalog,
  order_not_payable: orders,
  invalid_quote: page,
  invalid_order: page,
  invalid_hours: page,
  invalid_period: (about) =>
    typeof about.detail.nearest === 'number'
      ? about.instead('send_whole_days', { hours: about.detail.nearest })
      : page(about),
  invalid_start: page,
  invalid_rentals: status,
  extension_deadline: catalog,
  extension_unavailable: status,
  rental_duration_limit: status,
  reservation_conflict: status,
  invalid_waitlist: catalog,
  waitlist_exists: waitlist,
  waitlist_not_found: waitlist,
  waitlist_not_cancellable: waitlist,
  queue_full: queue,
  too_many_concurrent_builds: queue,
  build_not_found: builds,
  rental_only: start,
  job_not_found: status,
  endpoint_removed: page,
  invalid_webhook: page,
  webhook_not_found: webhooks,
  webhooks_limit: webhooks,
  delivery_not_found: ({ base, params }) =>
    one('list_deliveries', `${base}/webhooks/`, params.webhook_id, '/deliveries'),
  secret_not_found: secrets,
  secrets_limit: secrets,
  invalid_secret_name: secrets,
  log_deleted: ({ base, params }) => one('show_build', `${base}/builds/`, params.build_id),
  build_not_queued: ({ base, params }) => one('show_build', `${base}/builds/`, params.build_id),
  upload_incomplete: ({ base, detail }) => one('show_upload', `${base}/uploads/`, detail.upload_id),
  job_in_progress: ({ base, detail }) => one('show_job', `${base}/jobs/`, detail.job_id),
};

function one(action: string, path: string, id: unknown, rest = ''): NextRequest[] {
  return typeof id === 'string'
    ? [{ action, method: 'GET', path: path + encodeURIComponent(id) + rest }]
    : [];
}

/** The root of the API in paths that use cases suggest. */
const ROOT = '/api/v1';

/**
 * Returns a function that gives the suggestions attached to the error, or else those of the table. Leaves out
 * requests that the caller is not allowed to send and paths that do not exist.
 *
 * @param base root of the API for this caller
 */
export function createSuggest(base: string, index: RouteIndex): Suggest {
  return (error, { method, url, params, body, levels }) => {
    const same = method === 'GET' ? [{ action: 'retry', method, path: url }] : [];
    const own = error.next.map((next) =>
      next.path.startsWith(`${ROOT}/`) ? { ...next, path: base + next.path.slice(ROOT.length) } : next,
    );
    const instead = (action: string, changed: Record<string, unknown>) => [
      { action, method, path: url, body: { ...(isRecord(body) ? body : {}), ...changed } },
    ];
    const about = { code: error.code, base, detail: error.detail, params, same, instead };
    const corrected = error.corrected ? [correctedRequest(error.corrected, method, url)] : own;
    const suggestions = corrected.length > 0 ? corrected : (table[error.code]?.(about) ?? []);
    return suggestions.filter((next) => {
      if (!next.path.startsWith(`${base}/`)) return true;
      const route = index.match(next.method, next.path.slice(base.length).split('?', 1)[0] ?? '');
      if (!route) return false;
      return route.level === null || levels?.includes(route.level) === true;
    });
  };
}

function correctedRequest(corrected: Corrected, method: string, url: string): NextRequest {
  const action = 'send_corrected';
  if ('body' in corrected) return { action, method, path: url, body: corrected.body };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(corrected.query)) query.append(name, String(value));
  return { action, method, path: `${url.split('?', 1)[0]}?${query}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
