/** Codes of the public error catalogue that this folder can produce. */
export type BlobErrorCode =
  | 'invalid_gzip'
  | 'invalid_manifest'
  | 'manifest_too_large'
  | 'invalid_tar'
  | 'empty_upload'
  | 'too_many_files'
  | 'upload_too_large'
  | 'invalid_blob'
  | 'invalid_offset'
  | 'uploads_unavailable';

/**
 * What a caller sent is not acceptable, or the storage cannot take it (`uploads_unavailable`, then with a
 * cause). `message` may be shown to the caller; `detail` goes into the error's content.
 */
export class BlobError extends Error {
  readonly code: BlobErrorCode;
  readonly detail: Readonly<Record<string, unknown>> | undefined;
  constructor(
    code: BlobErrorCode,
    message: string,
    options?: ErrorOptions & { detail?: Readonly<Record<string, unknown>> },
  ) {
    super(message, options);
    this.name = 'BlobError';
    this.code = code;
    this.detail = options?.detail;
  }
}

/** A failing file system (full, read-only, broken) as `uploads_unavailable`; anything else as it is. */
export function storageError(error: unknown): unknown {
  const failedCall = error instanceof Error && 'syscall' in error && 'code' in error;
  if (!failedCall) return error;
  return new BlobError('uploads_unavailable', 'The upload storage cannot take data now; try again later.', {
    cause: error,
  });
}
