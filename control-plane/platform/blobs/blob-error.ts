/**
 * Why contents are not stored. `mismatch`: the bytes do not have the declared hash or size; `malformed`: the body is
 * not a valid sequence of records; `no_space`: the disk reserve would be used; `failed`: the file system failed, see
 * `cause`; `away`: the object store does not answer now, or refuses this service.
 */
export type BlobErrorKind = 'mismatch' | 'malformed' | 'no_space' | 'failed' | 'away';

/** Contents could not be stored. `platform/app/blob-errors.ts` maps each kind to an API error. */
export class BlobError extends Error {
  override name = 'BlobError';
  readonly kind: BlobErrorKind;
  constructor(kind: BlobErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export const isMismatch = (error: unknown): boolean => error instanceof BlobError && error.kind === 'mismatch';
