import { readFile } from 'node:fs/promises';
import { isErrno } from '../../../shared/errno.js';
import { ApiError } from '../../platform/domain/error-catalog.js';

/**
 * Returns a function that reads files, each once: they do not change while the service runs.
 *
 * @throws ApiError not_found for a file that does not exist
 */
export function createFileReader(): (url: URL) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>();
  return (url) => {
    const known = kept.get(url.href);
    if (known) return known;
    const reading = readFile(url).catch((error: unknown) => {
      kept.delete(url.href);
      throw isErrno(error, 'ENOENT') ? new ApiError('not_found', { cause: error }) : error;
    });
    kept.set(url.href, reading);
    return reading;
  };
}
