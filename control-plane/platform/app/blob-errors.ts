// Maps errors of the content store to API errors.
import { BlobError, type BlobErrorKind } from '../blobs/blob-error.js';
import { ApiError, type ErrorCode } from '../domain/error-catalog.js';

const codes: Readonly<Record<BlobErrorKind, ErrorCode>> = {
  mismatch: 'invalid_blob',
  malformed: 'invalid_artifact',
  no_space: 'uploads_unavailable',
  failed: 'uploads_unavailable',
  away: 'uploads_unavailable',
};

/** Seconds after which a request that found no room on the disk may be repeated. */
export const STORAGE_RETRY_S = 30;
/** The same for an object store that does not answer: mostly it is back soon. */
const AWAY_RETRY_S = 5;

/** Returns the API error for an error of the content store, and any other error unchanged. */
export function blobApiError(error: unknown): unknown {
  if (!(error instanceof BlobError)) return error;
  const { kind, message, cause } = error;
  // Messages of the file system and of the object store contain paths and addresses; they are only logged.
  if (kind === 'away') return new ApiError(codes.away, { retryAfterS: AWAY_RETRY_S, cause: error });
  if (kind === 'failed') return new ApiError(codes.failed, { retryAfterS: STORAGE_RETRY_S, cause });
  if (kind === 'no_space') return new ApiError(codes.no_space, { message, retryAfterS: STORAGE_RETRY_S });
  return new ApiError(codes[kind], { message });
}

/** Returns whether the object store does not answer. */
export const isStorageAway = (error: unknown): boolean => error instanceof BlobError && error.kind === 'away';
