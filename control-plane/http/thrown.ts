import { ApiError, type ErrorCode } from '../domain/error-catalog.js';

// What Fastify itself throws about a request, in our words.
const frameworkCodes: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_BAD_URL: 'not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/** An error of the catalogue for whatever was thrown: its own, the framework's about the input, or internal_error. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  const known = Object.hasOwn(frameworkCodes, code) ? frameworkCodes[code] : undefined;
  if (known) return new ApiError(known, { cause: thrown });
  return new ApiError('internal_error', { cause: thrown, retryAfterS: 1 });
}
