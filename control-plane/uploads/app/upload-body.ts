// The gzip body of an upload request; what its readers refuse becomes an error of the catalog.

import type { Readable } from 'node:stream';
import { TarError } from '../../../shared/archive/tar-reader.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { Step } from '../../platform/app/turns.js';
import { ApiError, type ErrorCode } from '../../platform/domain/error-catalog.js';
import { invalidField } from '../../platform/domain/invalid-field.js';
import { FormatError, type FormatErrorKind } from '../formats/format-error.js';
import { type GunzipBounds, gunzip } from '../formats/gunzip.js';
import { readIncoming, type TimeBounds } from '../formats/incoming.js';

export interface BodyBounds extends GunzipBounds {
  readonly time: TimeBounds;
  /** The error when a bound is exceeded. */
  readonly tooLarge: 'upload_too_large' | 'manifest_too_large';
}

const tarCodes: Readonly<Record<TarError['kind'], ErrorCode>> = {
  invalid: 'invalid_tar',
  empty: 'empty_upload',
  too_many: 'too_many_files',
  too_large: 'upload_too_large',
};

const formatCodes: Readonly<Record<Exclude<FormatErrorKind, 'unpacked_too_large'>, ErrorCode>> = {
  interrupted: 'invalid_gzip',
  gzip: 'invalid_gzip',
  record: 'invalid_blob',
  manifest: 'invalid_manifest',
  empty: 'empty_upload',
  too_many: 'too_many_files',
  too_large: 'upload_too_large',
};

/**
 * Lets `work` read what the body unpacks to, each piece in a turn.
 *
 * @throws ApiError for what the readers of `formats/` and the tar reader refuse; what `work` throws
 */
export async function readBody<T>(
  body: Readable,
  bounds: BodyBounds,
  step: Step,
  work: (unpacked: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  try {
    return await readIncoming(body, bounds.time, (chunks) => work(inTurns(gunzip(chunks, bounds), step)));
  } catch (error) {
    if (error instanceof TarError) throw new ApiError(tarCodes[error.kind], { message: error.message });
    if (!(error instanceof FormatError)) throw error;
    const { kind, message, facts } = error;
    const code = kind === 'unpacked_too_large' ? bounds.tooLarge : formatCodes[kind];
    const { fields = [], ...detail } = facts;
    const problems = fields.map(({ path, message: reason }) => invalidField(path, fieldProblem('refused', { reason })));
    throw new ApiError(code, { message, detail: { ...detail, ...(facts.fields ? { fields: problems } : {}) } });
  }
}

async function* inTurns(pieces: AsyncIterable<Buffer>, step: Step): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) {
    await step();
    yield piece;
  }
}
