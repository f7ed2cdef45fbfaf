// Advice for each error code, shown on the pages of the codes.
import {
  type CatalogEntry,
  type ErrorCode,
  errorCatalog,
  type Fault,
} from '../../platform/domain/error-catalog.js';

/** Who has to act before the request can succeed. */
export const whoActs: Readonly<Record<Fault, string>> = {
  client: 'The sender: the request, or what it names, has to change.',
  platform: 'The people who run the service. It has been reported.',
  payment: 'A person of the account: somebody has to pay or consent, or settle a dispute.',
  capacity: 'There is no capacity at the moment: wait, or choose something else.',
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
    'Have a person pay or cancel one of the open orders, or wait `retry_after_s` seconds. An account whose orders ended unpaid must wait, too.',
  too_many_concurrent_builds: 'Wait until a build of this key has ended, or cancel one.',
  queue_full: 'Wait until builds have started, or cancel some that are not needed any more.',
  no_capacity:
    'Order fewer if `next` says so, join the waitlist (`POST /waitlist`), choose another tier, or order a later start.',
  sales_closed: 'Choose another tier; `sales_open` in the catalog tells when this one is sold again.',
  available_now: 'Order: Macs of this tier are free.',
  waitlist_exists: 'Nothing: the account waits for this tier already.',
  order_expired: 'Create a new order and have it paid before `pay_expires_at`.',
  order_not_payable: 'Nothing: look at the order to see what became of it.',
  payment_mismatch:
    'Begin the payment again on the order’s page. An amount that paid for nothing is refunded.',
  request_incomplete: 'Send the same request again, with a body of the length that it announces.',
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
  log_deleted:
    'The log cannot be restored; the build and its failure can still be read. Save logs that you need for longer.',
  build_not_queued: 'Nothing: a build that runs or has ended has no place in the queue.',
  one_source_only: 'Send exactly one of `upload_id`, `repo` and `repo_url`.',
  repo_host_not_allowed: 'Use a repository on an allowed host, or upload the folder instead.',
  upload_incomplete: 'Ask `GET /uploads/{id}` what is `missing`, send that, then repeat the request.',
  upload_not_found: 'Create the upload again; contents that the service still has need not be sent.',
  storage_quota_exceeded:
    'List the files (`next`) and delete some: `DELETE /api/runner/v1/files/{file_id}`. Files of the other workspaces of the ' +
    'organization count too: ask an owner, who sees all of them. Contents of a deleted upload count until they are ' +
    'collected: within 10 minutes if they are older than two hours, otherwise within eight hours. With ' +
    '`"limit": "records_bytes"` it is the database: delete secrets, webhooks and files; answers kept for an ' +
    'Idempotency-Key, deliveries and old builds go by themselves. Reading, deleting, canceling and paying still work. An ' +
    'operator can raise the limit.',
  gzip_required: 'Send the body gzipped, with `Content-Type: application/gzip`.',
  manifest_too_large: 'Leave out files that the build does not need.',
  upload_too_large: 'Leave out files that the build does not need.',
  too_many_files: 'Leave out files that the build does not need.',
  blob_not_in_manifest: 'Create the upload again: files have changed since its manifest.',
  invalid_blob: 'Send the file again; if it has changed since, create the upload again.',
  file_in_use: 'Wait until the build that uses the upload has ended, or cancel it.',
  secrets_limit:
    'Delete a secret that is not needed any more, or store a shorter value: large files fit better into the upload.',
  storage_full: 'Send the same request again later. The operator sees in `/healthz` what is wrong.',
  secrets_unavailable: 'Send the same request again later. The operator sees in `/healthz` what is wrong.',
  waitlist_not_cancellable: 'Nothing: the entry does not wait any more.',
  reset_limit:
    'Send `"keep_cache": true`, which only empties the work folder, or wait `retry_after_s` seconds.',
  job_in_progress:
    'Wait until the job that `job_id` names has ended (`GET /jobs/{job_id}`), then repeat the request.',
  invalid_setup: 'Choose among `options` for the `field` that is named.',
  xcode_not_available: 'Choose one of the versions in `options`.',
  invalid_target: 'Send either `"all": true` or `"ids": [...]`.',
  idempotency_reply_lost:
    'Look at what the first request made (`GET /builds`, `GET /orders` …) before you send it under a new key.',
  idempotency_conflict: 'Use a new Idempotency-Key for a different request.',
  endpoint_removed: 'Let the order expire, or have a person cancel it on the pay page.',
  rental_only: 'Use `POST /builds`.',
  reset_failed:
    'Try again in a minute; if it fails again, tell the people who run the service the `request_id`.',
  rental_busy:
    'Repeat the request with `"when": "after_build"` to wait for the build, or `"now"` to cancel it.',
  webhooks_limit: 'Remove a webhook that is not needed any more.',
  forbidden: 'Have somebody with other permissions do it.',
  invalid_tier: 'Name a tier that `GET /catalog` lists.',
  invalid_start: 'Send `now`, or a time in the future, e.g. `2026-03-01T09:00:00Z`.',
  invalid_hours: 'Send hours as a whole number, a multiple of 24.',
  invalid_script: 'Send `script` as text; a long one belongs into a file of the upload.',
  invalid_xcode: 'Name an Xcode version that `GET /catalog` lists, as text.',
  invalid_repo: 'Send `repo` as `owner/name`; for other hosts send `repo_url`.',
  invalid_repo_url: 'Send an https address without user name; a private one needs the secret `GIT_TOKEN`.',
  invalid_ref: 'Send the name of a branch or tag as git knows it.',
  invalid_commit: 'Send 7 to 40 hexadecimal digits.',
  invalid_gzip: 'Send one whole gzip stream, and nothing behind it.',
  invalid_manifest:
    'Make the paths relative, each once however upper and lower case are taken, without `..`, `.git` or a leading `./`.',
  invalid_tar: 'Send regular files, folders and relative links that stay inside; leave `.git` out.',
  empty_upload: 'Upload at least one file; a script alone can be built from a folder with one small file.',
  invalid_offset: 'Go on at the `next_offset` of the segment before; 0 is the beginning.',
  invalid_wait: 'Send whole seconds: 0 to 60 with `offset`, 0 to 3600 with `format=text`.',
  invalid_timeout: 'Send whole seconds from 1 to 60, and ask again if it has not ended by then.',
  invalid_time: 'Send an ISO 8601 time such as `2026-03-01T09:00:00Z`.',
  invalid_from: 'Send an ISO 8601 time or milliseconds since 1970.',
  invalid_to: 'Send an ISO 8601 time or milliseconds since 1970.',
  invalid_json: 'Send valid JSON, with `Content-Type: application/json`.',
  invalid_secret_name:
    'Begin with a capital letter or an underscore, go on with those and digits; names of the build’s own variables are taken.',
  invalid_secret_value:
    'Send `value` as text of 1 byte to 64 KiB without NUL, or any other bytes in base64 as `value_base64`: a build gets those as a file, whose path the variable has.',
  invalid_when: 'Send `after_build` or `now`, or leave it out while no build runs.',
  invalid_idempotency_key: 'Send 1 to 200 visible ASCII characters, without spaces.',
  invalid_webhook:
    'Send a public https address (port 443, or a free one from 1024 on) and kinds of events of the reference; a disabled webhook is enabled by a test first.',
  delivery_not_found: 'Take the id from `GET /webhooks/{id}/deliveries`; old deliveries are forgotten.',
  secret_not_found: 'Check the name against `GET /secrets`.',
  invalid_waitlist: 'Name a `tier` of `GET /catalog`, and `units` of at least 1.',
  invalid_rentals: 'Send `rental_ids` of Macs that `GET /rentals` lists, each once.',
  invalid_artifact: 'Send the file again: what came is not what was announced.',
  keys_limit: 'Revoke a key that is not needed any more.',
  invites_limit:
    'Revoke invitations that are not needed any more, or wait until some are accepted or expire.',
  workspaces_limit: 'Remove a workspace that is no longer needed.',
  workspace_in_use: 'Revoke the keys of the workspace, and wait until its builds have ended or cancel them.',
  last_workspace: 'Create another workspace first, or rename this one.',
  last_owner: 'Make somebody else an owner first.',
  confirmation_required:
    'Send your password to `POST /v1/session/confirm` of the runner API, then send the request again.',
  operator_token_required: 'Send the operator token of the service as `Authorization: Bearer <token>`.',
  invalid_enrolment_token:
    'Have a new token made (`cidermill admin host enroll`) and use it within 15 minutes.',
  invalid_host_credential: 'Enroll the host again.',
  host_not_found: 'Look at `cidermill admin host list`.',
  host_state: 'Look at `cidermill admin host list` and bring the host into a state that allows it.',
  order_not_refundable: 'Look at the order: only what was paid and not yet given back can be refunded.',
  fx_unavailable: 'Try again later: there is no exchange rate that may be used.',
  topup_not_withdrawable: 'Nothing: look at the top-up to see what became of it.',
  withdrawal_expired: 'Nothing: use the credit, or ask the people who run the service.',
  credit_spent: 'Withdraw at most `withdrawable_krw`.',
  not_found: 'Check the address against the reference.',
  method_not_allowed: 'Use one of the methods in the Allow header.',
  payload_too_large: 'Send less at once.',
  internal_error:
    'Send the same request once more. If it fails again, tell the people who run the service the `request_id`.',
};

/** Returns one or two sentences, with code in backticks. */
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

/** Codes that the API never returns: only the console's API, operators' endpoints and the host link do. */
export const runnerOnly: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'api_key_revoked_leaked',
  'session_required',
  'invalid_credentials',
  'console_only',
  'insufficient_permission',
  'invalid_request',
  'file_in_use',
  'keys_limit',
  'invites_limit',
  'workspaces_limit',
  'workspace_in_use',
  'last_workspace',
  'last_owner',
  'fx_unavailable',
  'topup_not_withdrawable',
  'withdrawal_expired',
  'credit_spent',
  'order_not_refundable',
  'confirmation_required',
  'operator_token_required',
  'invalid_enrolment_token',
  'invalid_host_credential',
  'host_not_found',
  'host_state',
  'invalid_artifact',
]);
