// What storage says of contents, in errors of the catalogue.
import { BlobError, type BlobErrorKind } from '../blobs/blob-error.js';
import { ApiError, type ErrorCode } from '../domain/error-catalog.js';

const codes: Readonly<Record<BlobErrorKind, ErrorCode>> = {
  mismatch: 'invalid_blob',
  malformed: 'invalid_artifact',
  no_space: 'uploads_unavailable',
  failed: 'uploads_unavailable',
};

const STORAGE_RETRY_S = 30;

/** Returns the API error for an error of the content store, and any other error as it is. */
export function blobApiError(error: unknown): unknown {
  if (!(error instanceof BlobError)) return error;
  const { kind, message, cause } = error;
  // A file system's message names paths; it stays in the cause, which only the log shows.
  if (kind === 'failed') return new ApiError(codes.failed, { retryAfterS: STORAGE_RETRY_S, cause });
  if (kind === 'no_space') return new ApiError(codes.no_space, { message, retryAfterS: STORAGE_RETRY_S });
  return new ApiError(codes[kind], { message });
}
