// Objects in an S3-compatible store. Every request is signed by hand (ADR 67).
import { createHash } from 'node:crypto';
import type { Clock } from '../../../../shared/clock.js';
import { BlobError } from '../blob-error.js';
import { checkKey, type ObjectStore } from '../object-store.js';
import { createPartBuffers } from './part-buffers.js';
import { refused, writeObject } from './parts.js';
import { readObject } from './read.js';
import { type Bucket, createRequests, S3Error } from './requests.js';
import { element, elements, textOf } from './xml.js';

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
/** S3 deletes no more in one request. */
const DELETED_AT_ONCE = 1_000;

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
      const [only] = keys;
      if (only !== undefined && keys.length === 1) return deleteOne(only);
      const failures: unknown[] = [];
      for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
        const some = keys.slice(at, at + DELETED_AT_ONCE);
        await deleteMany(some).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
    address(key, { disposition, type, validMs }) {
      checkKey(key);
      const query = { 'response-content-disposition': disposition, 'response-content-type': type };
      return requests.address(key, query, validMs);
    },
    dropUnfinished,
    close: async () => requests.close(),
  };

  async function deleteOne(key: string): Promise<void> {
    try {
      await requests.call({ method: 'DELETE', key });
    } catch (error) {
      if (error instanceof S3Error && error.code === 'NoSuchKey') return;
      throw refused(error);
    }
  }

  async function deleteMany(keys: readonly string[]): Promise<void> {
    const named = keys.map((key) => `<Object>${element('Key', options.prefix + key)}</Object>`);
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${named.join('')}</Delete>`);
    const md5 = createHash('md5').update(body).digest('base64');
    const headers = { 'content-type': 'application/xml', 'content-md5': md5 };
    try {
      await requests.insist(async () => {
        const request = { method: 'POST', key: null, query: { delete: '' }, headers, body } as const;
        const { text } = await requests.call(request);
        const errors = elements(text, 'Error').filter((error) => textOf(error, 'Code') !== 'NoSuchKey');
        const [first] = errors;
        if (first === undefined) return;
        const message = `${errors.length} of ${keys.length} were not deleted: ${textOf(first, 'Message')}`;
        throw new S3Error(request, 500, textOf(first, 'Code'), message);
      });
    } catch (error) {
      throw refused(error);
    }
  }

  async function dropUnfinished(before: number): Promise<number> {
    let dropped = 0;
    let marker: Record<string, string> = {};
    try {
      for (;;) {
        const query = { uploads: '', prefix: options.prefix, ...marker };
        const { text } = await requests.call({ method: 'GET', key: null, query });
        for (const upload of elements(text, 'Upload')) {
          const key = textOf(upload, 'Key').slice(options.prefix.length);
          const begun = Date.parse(textOf(upload, 'Initiated'));
          if (!(begun < before)) continue;
          await abort(key, textOf(upload, 'UploadId'));
          dropped++;
        }
        if (textOf(text, 'IsTruncated') !== 'true') return dropped;
        const next = {
          'key-marker': textOf(text, 'NextKeyMarker'),
          'upload-id-marker': textOf(text, 'NextUploadIdMarker'),
        };
        if (
          next['key-marker'] === (marker['key-marker'] ?? '') &&
          next['upload-id-marker'] === marker['upload-id-marker']
        ) {
          return dropped;
        }
        marker = next;
      }
    } catch (error) {
      throw refused(error);
    }
  }

  async function abort(key: string, uploadId: string): Promise<void> {
    try {
      await requests.call({ method: 'DELETE', key, query: { uploadId } });
    } catch (error) {
      if (!(error instanceof S3Error && error.code === 'NoSuchUpload')) throw error;
    }
  }
}
