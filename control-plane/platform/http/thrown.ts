import type { IncomingMessage } from 'node:http';
import { blobApiError, STORAGE_RETRY_S } from '../app/blob-errors.js';
import { ApiError, type ErrorCode } from '../domain/error-catalog.js';

// Codes for errors that Fastify throws about a request.
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/** Codes of errors while reading a body whose sender disconnects or violates HTTP. */
const brokenBody = /^(ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_[A-Z_]+)$/;

/**
 * Returns an ApiError for any thrown value: the ApiError itself, the counterpart of an error of the content store or of
 * Fastify, request_incomplete if the client aborted the request, storage_full if the disk is full, database_unavailable if its
 * server does not answer, or internal_error.
 */
export function toApiError(error: unknown, request: Pick<IncomingMessage, 'complete' | 'errored'>): ApiError {
  const thrown = blobApiError(error);
  if (thrown instanceof ApiError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const known = Object.hasOwn(frameworkCodes, code) ? frameworkCodes[code] : undefined;
  if (known) return new ApiError(known, { cause: thrown });
  // Outgoing connections fail with the same codes, but then the request has been read completely. One whose last piece has
  // arrived but was not read yet is complete, and fails.
  const isOfRequest = !request.complete || (thrown !== null && thrown === request.errored);
  if (isOfRequest && brokenBody.test(code)) return new ApiError('request_incomplete', { cause: thrown });
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return new ApiError('storage_full', { cause: thrown, retryAfterS: STORAGE_RETRY_S });
  if (code === 'STORE_UNAVAILABLE') return new ApiError('database_unavailable', { cause: thrown });
  return new ApiError('internal_error', { cause: thrown, retryAfterS: 1 });
}
