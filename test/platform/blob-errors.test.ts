// Errors of the content store as those who asked see them.
import t from 'tap';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import { errorCatalog } from '../../control-plane/platform/domain/error-catalog.js';
import { toApiError } from '../../control-plane/platform/http/thrown.js';

t.test('an error of the content store is answered with its code, and never with what a disk says', async (t) => {
  const cause = Object.assign(new Error("ENOSPC: no space left, write '/srv/data/x'"), {
    syscall: 'write',
  });
  const answers = [
    [new BlobError('mismatch', 'Other bytes.'), 'invalid_blob', 'Other bytes.', null],
    [new BlobError('malformed', 'No record.'), 'invalid_artifact', 'No record.', null],
    [new BlobError('no_space', 'The disk is full.'), 'uploads_unavailable', 'The disk is full.', 30],
    [new BlobError('failed', 'failed', { cause }), 'uploads_unavailable', errorCatalog.uploads_unavailable.message, 30],
    [
      new BlobError('away', 'connect ECONNREFUSED 10.0.0.9:9000'),
      'uploads_unavailable',
      errorCatalog.uploads_unavailable.message,
      5,
    ],
  ] as const;
  for (const [thrown, code, message, retryAfterS] of answers) {
    t.match(toApiError(thrown, { complete: true, errored: null }), { code, message, retryAfterS }, thrown.kind);
  }
});
