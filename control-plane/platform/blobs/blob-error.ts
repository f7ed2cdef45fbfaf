/**
 * Why contents are not stored: `mismatch`: the bytes do not have the announced hash or size; `malformed`: they are not
 * in the form of records; `no_space`: they would use up the reserve of the disk; `failed`: the file system failed, see
 * `cause`.
 */
export type BlobErrorKind = 'mismatch' | 'malformed' | 'no_space' | 'failed';

/** Contents could not be stored. `platform/app/blob-errors.ts` gives each kind its API error. */
export class BlobError extends Error {
  override name = 'BlobError';
  readonly kind: BlobErrorKind;
  constructor(kind: BlobErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export const isMismatch = (error: unknown): boolean =>
  error instanceof BlobError && error.kind === 'mismatch';
