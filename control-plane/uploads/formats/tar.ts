// Reads the tar of an upload with the shared reader and maps its errors to the error catalog.
import {
  readTar as readArchive,
  type TarBounds,
  TarError,
  type TarFile,
  type TarRest,
} from '../../../shared/archive/tar-reader.js';
import { ApiError } from '../../platform/domain/error-catalog.js';

const CODES = {
  invalid: 'invalid_tar',
  empty: 'empty_upload',
  too_many: 'too_many_files',
  too_large: 'upload_too_large',
} as const;

/** @throws ApiError `invalid_tar`, `empty_upload` (no regular file), `too_many_files`, `upload_too_large` */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  bounds: TarBounds,
): AsyncGenerator<TarFile, TarRest, undefined> {
  const files = readArchive(source, bounds);
  try {
    let next = await files.next();
    for (; !next.done; next = await files.next()) yield { ...next.value, body: bodyOf(next.value) };
    return next.value;
  } catch (error) {
    throw asApiError(error);
  }
}

async function* bodyOf({ body }: TarFile): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw asApiError(error);
  }
}

function asApiError(error: unknown): unknown {
  return error instanceof TarError ? new ApiError(CODES[error.kind], { message: error.message }) : error;
}
