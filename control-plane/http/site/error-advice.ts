// What to do about each error code, in sentences; the pages of the codes are made from it.
import { type CatalogEntry, type ErrorCode, errorCatalog, type Fault } from '../../domain/error-catalog.js';

/** Who has to do something before it can go well. */
export const whoActs: Readonly<Record<Fault, string>> = {
  client: 'Whoever sends the request: it, or what it names, has to change.',
  platform: 'The people who run the service. It has been reported.',
  payment: 'A person of the account: somebody has to pay or consent, or settle a dispute.',
  capacity: 'Nobody: there is no room now. It comes by itself, or something else can be chosen.',
};

const particular: Partial<Record<ErrorCode, string>> = {
  api_key_required: 'Send `Authorization: Bearer <API key>`. A person makes keys in the console.',
  invalid_api_key:
    'Use another key. An owner or admin of the account sees in the console which keys are valid.',
  api_key_revoked_leaked:
    'Make a new key in the console, and remove the old one from where it was published.',
  session_required: 'Sign in: `POST /api/runner/v1/session` with e-mail and password sets the cookie.',
  invalid_credentials: 'Check address and password. After several failures, wait a minute.',
  organization_suspended: 'Ask the people who run the service; nothing works until they resume the account.',
  ip_not_allowed: 'Send the request from an allowed address, or have the key made with other ranges.',
  insufficient_scope: 'Use a key with the level that `required_level` names; `key_levels` are those it has.',
  api_key_read_only: 'Use a key with the level that `required_level` names.',
  api_key_write_only: 'Use a key that has the level read.',
  organization_required: 'Use a key of an account.',
  console_only: 'Have a person do it in the console. No API key can.',
  insufficient_permission: 'Have somebody with another role do it, or use a key with the permission.',
  account_blocked: 'A person settles the payment dispute with the people who run the service.',
  rate_limited:
    'Wait `retry_after_s` seconds, then send the same request again. Ask for waits instead of polling.',
  too_many_pending_orders:
    'Have a person pay or cancel one of the open orders, or wait until their pay links expire.',
  too_many_concurrent_builds: 'Wait until a build of this key has ended, or cancel one.',
  queue_full: 'Wait until builds have started, or cancel some that are not needed any more.',
  no_capacity: 'Join the waitlist (`POST /waitlist`), choose another tier, or order a later start.',
  sales_closed: 'Choose another tier; `sales_open` in the catalog tells when this one is sold again.',
  available_now: 'Order: Macs of this tier are free.',
  waitlist_exists: 'Nothing: the account waits for this tier already.',
  order_expired: 'Create a new order and have it paid before `pay_expires_at`.',
  order_not_payable: 'Nothing: look at the order to see what became of it.',
  payment_mismatch: 'Begin the payment again on the order’s page. What was taken for nothing goes back.',
  payment_unavailable: 'Try again in a minute. Nothing has been charged.',
  consent_required: 'The person ticks both consents on the pay page.',
  rental_not_active: 'Choose a Mac that `GET /rentals` lists, in a state other than reserved.',
  extension_deadline: 'Order a new Mac: this one ends within minutes.',
  extension_pending: 'Have the open extension order paid, or wait until it expires.',
  extension_unavailable: 'Leave out the Macs whose `items` say why they cannot be extended.',
  rental_duration_limit: 'Extend by fewer days, or order a new Mac.',
  reservation_conflict: 'Choose a shorter time: somebody has reserved the Mac for afterwards.',
  invalid_period: 'Send hours as a multiple of 24, from 24 to 720.',
  no_active_rental: 'Rent a Mac (`POST /orders`), or send the build with `"queue_until_rental": true`.',
  build_not_queued: 'Nothing: a build that runs or has ended has no place in the queue.',
  one_source_only: 'Send exactly one of `upload_id`, `repo` and `repo_url`.',
  repo_host_not_allowed: 'Use a repository on an allowed host, or upload the folder instead.',
  upload_incomplete: 'Ask `GET /uploads/{id}` what is `missing`, send that, then repeat the request.',
  upload_not_found: 'Create the upload anew; what the service still has is not asked for again.',
  gzip_required: 'Send the body gzipped, with `Content-Type: application/gzip`.',
  manifest_too_large: 'Leave out files that the build does not need.',
  upload_too_large: 'Leave out files that the build does not need.',
  too_many_files: 'Leave out files that the build does not need.',
  blob_not_in_manifest: 'Create the upload anew: files have changed since its manifest.',
  invalid_blob: 'Send the file again; if it has changed since, create the upload anew.',
  file_in_use: 'Wait until the build that uses the upload has ended, or cancel it.',
  secrets_limit: 'Delete a secret that is not needed any more.',
  waitlist_not_cancellable: 'Nothing: the entry does not wait any more.',
  reset_limit:
    'Send `"keep_cache": true`, which only empties the work folder, or wait `retry_after_s` seconds.',
  job_in_progress:
    'Wait until the job that `job_id` names has ended (`GET /jobs/{job_id}`), then repeat the request.',
  invalid_setup: 'Choose among `options` for the `field` that is named.',
  xcode_not_available: 'Choose one of the versions in `options`.',
  invalid_target: 'Send either `"all": true` or `"ids": [...]`.',
  idempotency_conflict: 'Use a new Idempotency-Key for a different request.',
  endpoint_removed: 'Let the order expire, or have a person cancel it on the pay page.',
  rental_only: 'Use `POST /builds`.',
  reset_failed:
    'Try again in a minute; if it fails again, tell the people who run the service the `request_id`.',
  rental_busy:
    'Repeat the request with `"when": "after_build"` to wait for the build, or `"now"` to cancel it.',
  webhooks_limit: 'Remove a webhook that is not needed any more.',
  keys_limit: 'Revoke a key that is not needed any more.',
  last_owner: 'Make somebody else an owner first.',
  operator_token_required: 'Send the operator token of the service as `Authorization: Bearer <token>`.',
  invalid_enrolment_token:
    'Have a new token made (`cidermill admin host enroll`) and use it within 15 minutes.',
  invalid_host_credential: 'Enrol the host anew.',
  host_not_found: 'Look at `cidermill admin host list`.',
  host_state: 'Look at `cidermill admin host list` and bring the host into a state that allows it.',
  order_not_refundable: 'Look at the order: only what was paid and not yet given back can be refunded.',
  fx_unavailable: 'Try again later: there is no exchange rate that may be used.',
  not_found: 'Check the address against the reference.',
  method_not_allowed: 'Use one of the methods in the Allow header.',
  payload_too_large: 'Send less at once.',
  internal_error:
    'Send the same request once more. If it fails again, tell the people who run the service the `request_id`.',
};

/** A sentence or two, with code in backticks. */
export function adviceOf(code: ErrorCode): string {
  const entry: CatalogEntry = errorCatalog[code];
  const own = particular[code];
  if (own) return own;
  if (entry.retryable) return 'Wait as long as `retry_after_s` says, then send the same request again.';
  if (entry.status === 404)
    return 'Check the id, and that it is of this account; the list of its kind shows what there is.';
  if (code.startsWith('invalid_')) return 'Correct what `message` and `fields` name, then send it again.';
  return 'Change the request; the same one will fail again.';
}

/** What some codes say beside the usual fields, as the examples show it. */
export const exampleDetail: Partial<Record<ErrorCode, Readonly<Record<string, unknown>>>> = {
  insufficient_scope: { required_level: 'manage', required_scope: 'agent:manage', key_levels: ['build'] },
  api_key_read_only: { required_level: 'build', required_scope: 'agent:build', key_levels: ['read'] },
  api_key_write_only: { required_level: 'read', required_scope: 'agent:read', key_levels: ['build'] },
  job_in_progress: { job_id: 'op_01example' },
  upload_incomplete: { upload_id: 'up_01example' },
  invalid_setup: { field: 'runtimes', options: ['iOS 18.2', 'iOS 17.5'] },
  xcode_not_available: { options: ['16.2', '16.0'] },
  invalid_build: { fields: [{ path: 'timeout_min', message: 'Too big: expected number to be <=360' }] },
  invalid_quote: { fields: [{ path: 'hours', message: 'Invalid input: expected number, received string' }] },
  invalid_order: {
    fields: [{ path: 'tier', message: 'Invalid input: expected string, received number' }],
  },
  invalid_request: { fields: [{ path: 'email', message: 'Invalid email address' }] },
  extension_unavailable: { items: [{ rental_id: 'rt_01example', ok: false, reason: 'extension_deadline' }] },
};

/** How long the examples ask to wait, where that is part of what the code says. */
export const exampleRetryAfterS: Partial<Record<ErrorCode, number>> = {
  rate_limited: 12,
  reset_limit: 431,
  uploads_unavailable: 30,
  payment_unavailable: 30,
};

/** Codes that only family B (the console and the runner endpoints), operators' endpoints and the host link answer. */
export const runnerOnly: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'api_key_revoked_leaked',
  'session_required',
  'invalid_credentials',
  'console_only',
  'insufficient_permission',
  'invalid_request',
  'file_in_use',
  'keys_limit',
  'last_owner',
  'fx_unavailable',
  'order_not_refundable',
  'operator_token_required',
  'invalid_enrolment_token',
  'invalid_host_credential',
  'host_not_found',
  'host_state',
  'invalid_artifact',
]);
