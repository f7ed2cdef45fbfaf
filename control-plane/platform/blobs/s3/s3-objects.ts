// Objects in an S3-compatible store. Every request is signed by hand (ADR 67).
import type { Clock } from '../../../../shared/clock.js';
import { BlobError } from '../blob-error.js';
import { checkKey, type ObjectStore } from '../object-store.js';
import { createPartBuffers } from './part-buffers.js';
import { refused, writeObject } from './parts.js';
import { readObject } from './read.js';
import { createRemoval } from './removal.js';
import { type Bucket, createRequests, S3Error } from './requests.js';

export interface S3Options extends Bucket {
  /** Of this machine: the store refuses requests whose time is 15 minutes off. */
  readonly clock: Clock;
  /** Default: 8 MiB. Most stores want at least 5 MiB. */
  readonly partBytes?: number;
  /** Parts of objects that are held in memory at once. Default: 24. */
  readonly mostParts?: number;
  /** Called if an unfinished upload could not be aborted; `dropUnfinished` deletes it later. */
  onAbortFailed?(key: string, error: unknown): void;
}

const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 24;

/**
 * Opens no connection yet.
 *
 * @example
 * const objects = openS3Objects({ bucket: 'mill', prefix: '', endpoint: 'https://s3.example.com', pathStyle: true, …});
 */
export function openS3Objects(options: S3Options): ObjectStore {
  const { clock, partBytes = PART_BYTES, mostParts = MOST_PARTS, onAbortFailed = () => {} } = options;
  const requests = createRequests(options, clock);
  const buffers = createPartBuffers({ bytes: partBytes, most: mostParts });

  const removal = createRemoval(requests, options.prefix);
  const stat = async (key: string | null) => {
    try {
      const { headers } = await requests.call({ method: 'HEAD', key });
      return { size: Number(headers['content-length'] ?? 0) };
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return null;
      throw refused(error);
    }
  };
  const check = async () => {
    // Without a body the answer to HEAD does not say what is missing.
    if ((await stat(null)) === null) throw new BlobError('away', `There is no bucket ${options.bucket}.`);
  };

  return {
    check,
    async put(key, source, expected) {
      checkKey(key);
      return writeObject({ requests, buffers, onAbortFailed }, key, source, expected);
    },
    async open(key, range = {}) {
      checkKey(key);
      return readObject(requests, key, range);
    },
    async stat(key) {
      checkKey(key);
      const found = await stat(key);
      if (found === null) await check();
      return found;
    },
    async delete(keys) {
      for (const key of keys) checkKey(key);
      await removal.delete(keys);
    },
    address(key, { disposition, type, validMs }) {
      checkKey(key);
      const query = { 'response-content-disposition': disposition, 'response-content-type': type };
      return requests.address(key, query, validMs);
    },
    dropUnfinished: removal.dropUnfinished,
    close: async () => requests.close(),
  };
}
