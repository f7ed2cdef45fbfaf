// All API errors: code, HTTP status, who must act, and whether the same request can be retried.

export type Fault = 'client' | 'platform' | 'payment' | 'capacity';

export interface CatalogEntry {
  readonly status: number;
  readonly fault: Fault;
  readonly retryable: boolean;
  /** After how many seconds, where no better time is known; null: never. */
  readonly retryAfterS: number | null;
  /** Default message, one sentence; the code that throws the error may give a more specific one. */
  readonly meaning: string;
}

/** @param retryAfterS false: the same request would fail again */
const entry = (status: number, fault: Fault, retryAfterS: number | false, meaning: string): CatalogEntry => ({
  ...{ status, fault, meaning },
  ...(retryAfterS === false ? { retryable: false, retryAfterS: null } : { retryable: true, retryAfterS }),
});

export const errorCatalog = {
  api_key_required: entry(
    401,
    'client',
    false,
    'The Authorization header is missing or malformed; send "Bearer <API key>".',
  ),
  invalid_api_key: entry(
    401,
    'client',
    false,
    'The API key is unknown, revoked or expired, or its account is closed.',
  ),
  api_key_revoked_leaked: entry(
    401,
    'client',
    false,
    'The API key was revoked because it was found in public; create a new one.',
  ),
  session_required: entry(401, 'client', false, 'This endpoint needs a console session.'),
  invalid_credentials: entry(401, 'client', false, 'The e-mail address or the password is wrong.'),
  organization_suspended: entry(403, 'client', false, 'The account is suspended.'),
  ip_not_allowed: entry(403, 'client', false, "The caller's address is outside the key's allowed ranges."),
  insufficient_scope: entry(
    403,
    'client',
    false,
    'The key lacks the permission level that this operation needs.',
  ),
  forbidden: entry(403, 'client', false, 'This is not permitted.'),
  api_key_read_only: entry(403, 'client', false, 'The key may only read.'),
  api_key_write_only: entry(403, 'client', false, 'The key may not read.'),
  organization_required: entry(403, 'client', false, 'The key is not linked to an account.'),
  console_only: entry(
    403,
    'client',
    false,
    'Only a person signed in to the console can do this; API keys cannot.',
  ),
  insufficient_permission: entry(403, 'client', false, 'The role or key does not permit this.'),
  account_blocked: entry(403, 'payment', false, 'Payments of this account are blocked.'),
  rate_limited: entry(
    429,
    'client',
    60,
    'Too many requests in this minute; wait, then repeat the same request.',
  ),
  too_many_pending_orders: entry(429, 'client', 60, 'This account has too many unpaid orders.'),
  too_many_concurrent_builds: entry(429, 'client', 30, 'Too many running builds of this key.'),
  queue_full: entry(429, 'capacity', 30, "The account's build queue is full."),
  no_capacity: entry(409, 'capacity', 300, 'No Mac of this tier is free.'),
  sales_closed: entry(409, 'capacity', 600, 'Sales of this tier are closed now.'),
  available_now: entry(409, 'client', false, 'Macs are available; order instead of waiting.'),
  waitlist_exists: entry(409, 'client', false, 'An entry for this tier exists already.'),
  order_not_found: entry(404, 'client', false, 'No such order in this account.'),
  order_expired: entry(
    409,
    'client',
    false,
    'The pay link or the slot hold has expired; create a new order.',
  ),
  order_not_payable: entry(409, 'client', false, 'The order is already paid or canceled.'),
  order_not_refundable: entry(409, 'client', false, 'The order is not paid, or its money has gone back.'),
  payment_mismatch: entry(400, 'payment', false, 'The payment does not match the order.'),
  payment_unavailable: entry(
    503,
    'platform',
    30,
    'The payment provider does not answer; nothing has been charged. Try again later.',
  ),
  consent_required: entry(400, 'client', false, "The person's consent is missing."),
  rental_not_found: entry(404, 'client', false, 'No such Mac in this account.'),
  rental_not_active: entry(409, 'client', false, 'The Mac is not in use.'),
  extension_deadline: entry(
    409,
    'client',
    false,
    'Less than 10 minutes are left; the Mac can no longer be extended.',
  ),
  extension_pending: entry(409, 'client', 60, 'An extension payment for this Mac is in progress.'),
  extension_unavailable: entry(409, 'client', false, 'A Mac of the request cannot be extended; see items.'),
  rental_duration_limit: entry(422, 'client', false, 'The same Mac can be rented for 30 days at most.'),
  reservation_conflict: entry(409, 'capacity', false, 'The period overlaps the next reservation.'),
  invalid_period: entry(422, 'client', false, 'hours must be a multiple of 24 within the allowed range.'),
  invalid_tier: entry(400, 'client', false, 'No such tier.'),
  invalid_quote: entry(400, 'client', false, 'The quote request is not valid.'),
  invalid_order: entry(400, 'client', false, 'The order request is not valid.'),
  invalid_start: entry(400, 'client', false, 'start must be "now" or an ISO time.'),
  invalid_hours: entry(400, 'client', false, 'hours is not valid.'),
  invalid_rentals: entry(400, 'client', false, 'rental_ids is not valid.'),
  no_active_rental: entry(409, 'client', false, 'The account has no Mac to build on.'),
  build_not_found: entry(404, 'client', false, 'No such build in this account.'),
  log_deleted: entry(410, 'client', false, 'The log of this build was deleted because of its age.'),
  build_not_queued: entry(
    409,
    'client',
    false,
    'The build is not queued any more; its priority cannot change.',
  ),
  invalid_script: entry(400, 'client', false, 'script must be a string that is not empty.'),
  invalid_build: entry(400, 'client', false, 'The build request is not valid.'),
  invalid_xcode: entry(400, 'client', false, 'xcode is not an Xcode version of the catalog.'),
  one_source_only: entry(400, 'client', false, 'Send exactly one of upload_id, repo_url and repo.'),
  invalid_repo: entry(400, 'client', false, 'repo must be owner/name.'),
  invalid_repo_url: entry(400, 'client', false, 'repo_url must be an https address of a repository.'),
  repo_host_not_allowed: entry(400, 'client', false, 'The code host of repo_url is not allowed here.'),
  invalid_ref: entry(400, 'client', false, 'ref is not a valid branch, tag or ref name.'),
  invalid_commit: entry(400, 'client', false, 'commit must be 7 to 40 hex characters.'),
  upload_incomplete: entry(409, 'client', 1, 'Not all files of the upload have been received.'),
  upload_not_found: entry(404, 'client', false, 'The upload does not exist or has expired.'),
  storage_full: entry(
    503,
    'platform',
    60,
    'The disk of the service is full; nothing has been done. Try again later.',
  ),
  storage_quota_exceeded: entry(
    409,
    'client',
    false,
    'The account has used its storage; delete files, secrets or webhooks that are not needed any more.',
  ),
  uploads_unavailable: entry(503, 'platform', 30, 'Upload storage has a problem; try again later.'),
  gzip_required: entry(415, 'client', false, 'Send the body as gzip (Content-Type: application/gzip).'),
  manifest_too_large: entry(413, 'client', false, 'The manifest is too large.'),
  upload_too_large: entry(400, 'client', false, 'The upload is too large.'),
  invalid_gzip: entry(400, 'client', false, 'The body is not one whole gzip stream.'),
  invalid_manifest: entry(400, 'client', false, 'The manifest is not valid.'),
  invalid_tar: entry(400, 'client', false, 'The tar archive is not valid.'),
  invalid_blob: entry(400, 'client', false, 'A file does not have the announced hash or size.'),
  too_many_files: entry(400, 'client', false, 'The upload has too many files.'),
  empty_upload: entry(400, 'client', false, 'The upload holds no file.'),
  blob_not_in_manifest: entry(
    409,
    'client',
    false,
    'A file was sent that is not in the manifest; restart the upload.',
  ),
  file_in_use: entry(409, 'client', false, 'The upload is used by an unfinished build.'),
  invalid_offset: entry(400, 'client', false, 'offset is not valid.'),
  invalid_wait: entry(400, 'client', false, 'wait is not valid.'),
  invalid_timeout: entry(400, 'client', false, 'timeout is not valid.'),
  invalid_time: entry(400, 'client', false, 'A time is not valid; send an ISO time.'),
  invalid_from: entry(400, 'client', false, 'from is not an ISO time or epoch milliseconds.'),
  invalid_to: entry(400, 'client', false, 'to is not an ISO time or epoch milliseconds.'),
  invalid_query: entry(400, 'client', false, 'A query parameter is not valid.'),
  invalid_request: entry(400, 'client', false, 'The request is not valid; see details.fields.'),
  invalid_json: entry(400, 'client', false, 'The body is not valid JSON.'),
  request_incomplete: entry(
    400,
    'client',
    1,
    'The connection ended or broke before the whole request had arrived; send it again.',
  ),
  invalid_secret_name: entry(
    400,
    'client',
    false,
    'A secret name has uppercase letters, digits and underscores, and none of the names of the build itself.',
  ),
  invalid_secret_value: entry(
    400,
    'client',
    false,
    'Send value as text without NUL, or value_base64 as base64: 1 byte to 64 KiB.',
  ),
  secrets_limit: entry(
    400,
    'client',
    false,
    'The account has the most secrets it may have, or too much in them.',
  ),
  secrets_unavailable: entry(
    503,
    'platform',
    60,
    'The service cannot use the key that seals secrets; nothing has been stored. Try again later.',
  ),
  secret_not_found: entry(404, 'client', false, 'No secret of that name.'),
  waitlist_not_found: entry(404, 'client', false, 'No such waitlist entry.'),
  waitlist_not_cancellable: entry(409, 'client', false, 'The entry has been processed already.'),
  invalid_waitlist: entry(400, 'client', false, 'The waitlist request is not valid.'),
  reset_limit: entry(
    429,
    'client',
    600,
    'A new VM can be had once in 10 minutes and 20 times a day; keep_cache:true is an alternative.',
  ),
  job_in_progress: entry(409, 'client', 30, 'A reset, Xcode or setup job of this Mac is queued or running.'),
  job_not_found: entry(404, 'client', false, 'No such job in this account.'),
  invalid_setup: entry(
    400,
    'client',
    false,
    'The Xcode, runtimes or tools value is not in the catalog, or nothing changes.',
  ),
  invalid_target: entry(400, 'client', false, 'Send exactly one of all:true and ids.'),
  invalid_when: entry(400, 'client', false, 'when must be after_build or now.'),
  invalid_idempotency_key: entry(
    400,
    'client',
    false,
    'Idempotency-Key must be 1 to 200 visible ASCII characters.',
  ),
  idempotency_reply_lost: entry(
    409,
    'platform',
    false,
    'The request with this Idempotency-Key was done before, but its answer can no longer be read.',
  ),
  idempotency_conflict: entry(
    409,
    'client',
    false,
    'The same Idempotency-Key was used for a different request.',
  ),
  xcode_not_available: entry(400, 'client', false, 'The Xcode version cannot be selected on this tier.'),
  endpoint_removed: entry(410, 'client', false, 'This endpoint has been removed.'),
  rental_only: entry(410, 'client', false, '/jobs is retired; use POST /builds.'),
  reset_failed: entry(409, 'platform', 30, 'The Mac could not be reset; it has been reported.'),
  rental_busy: entry(409, 'client', 60, 'A build is running; repeat with when: after_build or now.'),
  invalid_webhook: entry(400, 'client', false, 'The webhook request is not valid.'),
  webhook_not_found: entry(404, 'client', false, 'No such webhook.'),
  webhooks_limit: entry(409, 'client', false, 'The account has the most webhooks it may have.'),
  delivery_not_found: entry(404, 'client', false, 'No such delivery.'),
  keys_limit: entry(409, 'client', false, 'The organization has the most API keys it may have.'),
  invites_limit: entry(409, 'client', false, 'The organization has the most open invitations it may have.'),
  workspaces_limit: entry(409, 'client', false, 'The organization has reached its limit of workspaces.'),
  workspace_in_use: entry(409, 'client', false, 'The workspace has usable keys or unfinished builds.'),
  last_workspace: entry(409, 'client', false, 'An organization must have at least one workspace.'),
  last_owner: entry(409, 'client', false, 'The last owner can neither leave nor be demoted.'),
  confirmation_required: entry(
    403,
    'client',
    false,
    'This needs your password again; it was entered too long ago.',
  ),
  operator_token_required: entry(
    401,
    'client',
    false,
    'Send the operator token of the service (CIDERMILL_OPERATOR_TOKEN) as a bearer token.',
  ),
  invalid_enrolment_token: entry(
    401,
    'client',
    false,
    'The enrollment token is unknown, used or expired; make a new one with "cidermill admin host enroll".',
  ),
  invalid_host_credential: entry(401, 'client', false, 'The host is unknown or has been removed; enrol it.'),
  host_not_found: entry(404, 'client', false, 'No such host.'),
  host_state: entry(409, 'client', false, "The host's present state does not allow this."),
  invalid_artifact: entry(
    400,
    'client',
    false,
    'The artifact does not have the announced size or hash, or its name is refused.',
  ),
  fx_unavailable: entry(503, 'platform', 300, 'No exchange rate is available.'),
  topup_not_withdrawable: entry(409, 'client', false, 'Only a paid top-up can be withdrawn.'),
  withdrawal_expired: entry(409, 'client', false, 'A top-up can be withdrawn for 7 days after its payment.'),
  credit_spent: entry(409, 'client', false, 'Less credit is left than the amount is worth.'),
  not_found: entry(404, 'client', false, 'No such address or resource.'),
  method_not_allowed: entry(405, 'client', false, 'This address does not take this method.'),
  payload_too_large: entry(413, 'client', false, 'The body is too large.'),
  internal_error: entry(
    500,
    'platform',
    1,
    'Something failed on our side; it has been reported. Retry once, then pass on request_id.',
  ),
} as const satisfies Record<string, CatalogEntry>;

export type ErrorCode = keyof typeof errorCatalog;

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCatalog, text);

/** A request that can be sent unchanged; `path` starts at the site's root. */
export interface NextRequest {
  action: string;
  method: string;
  path: string;
  body?: Record<string, unknown>;
}

/** Corrected body or query of the failed request; only included in `next`. */
export type Corrected =
  | { readonly body: Record<string, unknown> }
  | { readonly query: Record<string, unknown> };

export interface ApiErrorOptions {
  /** More specific than the catalog's message; must not contain secrets. */
  message?: string;
  /** Additional members of the error object: job_id, options, field, fields, items, required_level … */
  detail?: Readonly<Record<string, unknown>>;
  /** Default: that of the catalog. */
  retryAfterS?: number;
  next?: readonly NextRequest[];
  corrected?: Corrected;
  cause?: unknown;
}

/**
 * An error of the catalog. Any layer of the control plane may throw it; the HTTP layer converts it to the envelope.
 *
 * @example throw new ApiError('upload_incomplete', { detail: { missing: 3 } })
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly retryAfterS: number | null;
  readonly next: readonly NextRequest[];
  readonly corrected: Corrected | null;
  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(
      options.message ?? errorCatalog[code].meaning,
      options.cause ? { cause: options.cause } : undefined,
    );
    this.name = 'ApiError';
    this.code = code;
    this.detail = options.detail ?? {};
    this.retryAfterS = options.retryAfterS ?? errorCatalog[code].retryAfterS;
    this.next = options.next ?? [];
    this.corrected = options.corrected ?? null;
  }
}
