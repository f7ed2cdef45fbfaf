// Deletes objects, and what unfinished uploads have left.
import { createHash } from 'node:crypto';
import { refused } from './parts.js';
import { type Requests, S3Error } from './requests.js';
import { element, elements, textOf } from './xml.js';

/** S3 deletes no more in one request. */
const DELETED_AT_ONCE = 1_000;
/** Some stores delete one object after the other. */
const LIMIT_MS = 3 * 60_000;

/** @param prefix before every key */
export function createRemoval(requests: Requests, prefix: string) {
  return {
    /** See `ObjectStore.delete`. */
    async delete(keys: readonly string[]): Promise<void> {
      const [only] = keys;
      if (only !== undefined && keys.length === 1) return deleteOne(only);
      const failures: unknown[] = [];
      for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
        const some = keys.slice(at, at + DELETED_AT_ONCE);
        await deleteMany(some).catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
    dropUnfinished,
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
    const named = keys.map((key) => `<Object>${element('Key', prefix + key)}</Object>`);
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${named.join('')}</Delete>`);
    const md5 = createHash('md5').update(body).digest('base64');
    const headers = { 'content-type': 'application/xml', 'content-md5': md5 };
    try {
      await requests.insist(async () => {
        const request = { method: 'POST', key: null, query: { delete: '' }, headers, body, limitMs: LIMIT_MS } as const;
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
        const query = { uploads: '', prefix: prefix, ...marker };
        const { text } = await requests.call({ method: 'GET', key: null, query });
        for (const upload of elements(text, 'Upload')) {
          const key = textOf(upload, 'Key').slice(prefix.length);
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
