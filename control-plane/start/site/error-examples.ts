// The example of each error code: the request that failed, and the additional fields of the response.
import type { ErrorCode, NextRequest } from '../../platform/domain/error-catalog.js';
import type { ErrorContext } from '../../platform/http/error-context.js';

const ROOT = '/api/v1';
const RENTAL = `${ROOT}/rentals/rt_01example`;

/** Additional fields of some codes. */
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
  storage_quota_exceeded: { limit: 'contents_bytes', limit_bytes: 53687091200, used_bytes: 53687000000 },
  extension_unavailable: { items: [{ rental_id: 'rt_01example', ok: false, reason: 'extension_deadline' }] },
};

/** `retry_after_s` in the examples of codes that have one, in seconds. */
export const exampleRetryAfterS: Partial<Record<ErrorCode, number>> = {
  rate_limited: 12,
  reset_limit: 431,
  uploads_unavailable: 30,
  storage_full: 30,
  payment_unavailable: 30,
};

/** Suggested requests of codes whose suggestions come from the failed operation, not from the common table. */
export const exampleNext: Partial<Record<ErrorCode, readonly NextRequest[]>> = {
  no_capacity: [post('join_waitlist', '/waitlist', { tier: 'm4', units: 1 })],
  available_now: [post('order', '/orders', { tier: 'm4', hours: 24, units: 1 })],
  too_many_pending_orders: [
    { action: 'list_unpaid_orders', method: 'GET', path: `${ROOT}/orders?status=awaiting_payment` },
  ],
  extension_pending: [{ action: 'wait_for_order', method: 'GET', path: `${ROOT}/orders/RT-01EXAMPLE/wait` }],
  storage_quota_exceeded: [
    {
      ...{ action: 'list_files', method: 'GET' },
      path: '/api/runner/v1/files?workspace_id=ws_01example&kind=upload',
    },
  ],
  extension_unavailable: [
    post('extend_the_others', '/rentals/extend', { rental_ids: ['rt_02example'], hours: 24 }),
  ],
};

type Failed = Pick<ErrorContext, 'method' | 'url' | 'body' | 'params'>;

const status: Failed = { method: 'GET', url: `${ROOT}/status`, body: null, params: {} };
const reset: Failed = {
  method: 'POST',
  url: `${RENTAL}/reset`,
  body: {},
  params: { rental_id: 'rt_01example' },
};
const build = (rest: string, method = 'GET'): Failed => ({
  ...{ method, url: `${ROOT}/builds/rb_01example${rest}`, body: null },
  params: { build_id: 'rb_01example' },
});
const delivery: Failed = {
  ...{ method: 'POST', url: `${ROOT}/webhooks/wh_01example/deliveries/dl_01example/redeliver`, body: null },
  params: { webhook_id: 'wh_01example', delivery_id: 'dl_01example' },
};
const blobs: Failed = {
  method: 'POST',
  url: `${ROOT}/uploads/up_01example/blobs`,
  body: null,
  params: { id: 'up_01example' },
};

const failed: Partial<Record<ErrorCode, Failed>> = {
  rental_busy: reset,
  reset_limit: reset,
  invalid_when: { ...reset, body: { keep_cache: true } },
  build_not_queued: build('', 'PATCH'),
  invalid_offset: build('/log?offset=999999999'),
  delivery_not_found: delivery,
  invalid_blob: blobs,
  blob_not_in_manifest: blobs,
};

/** Returns the failed request of a code's example; GET /status if any request can fail with the code. */
export const exampleRequest = (code: ErrorCode): Failed => failed[code] ?? status;

function post(action: string, path: string, body: Record<string, unknown>): NextRequest {
  return { action, method: 'POST', path: ROOT + path, body };
}
