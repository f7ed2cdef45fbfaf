// A content store in memory, for tests that need no files.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { BlobError } from '../../control-plane/platform/blobs/blob-error.js';
import type { ListedContentStore, StoredContent } from '../../control-plane/platform/blobs/content-store.js';

export function createMemoryContentStore(now: () => number = Date.now): ListedContentStore {
  const contents = new Map<string, { bytes: Buffer; scope: string; key: string; storedAt: number }>();
  const nameOf = (scope: string, key: string) => `${scope}/${key}`;
  return {
    batch(scope) {
      const staged = new Map<string, { content: StoredContent; bytes: Buffer }>();
      return {
        async add(source, expected) {
          const chunks: Buffer[] = [];
          for await (const chunk of source) chunks.push(chunk);
          const bytes = Buffer.concat(chunks);
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          if (expected && (expected.sha256 !== sha256 || expected.size !== bytes.length)) {
            throw new BlobError('mismatch', 'other bytes than expected');
          }
          const content = { key: `${sha256}-${randomBytes(8).toString('hex')}`, sha256, size: bytes.length };
          staged.set(content.key, { content, bytes });
          return content;
        },
        async discard(key) {
          staged.delete(key);
        },
        async commit() {
          for (const [key, { bytes }] of staged) {
            contents.set(nameOf(scope, key), { bytes, scope, key, storedAt: now() });
          }
          staged.clear();
        },
        async abort() {
          staged.clear();
        },
      };
    },
    async open(scope, key, { start, end } = {}) {
      const found = contents.get(nameOf(scope, key));
      if (!found) throw new Error(`no content ${key}`);
      const bytes = found.bytes.subarray(start, end);
      return Readable.from(bytes.length === 0 ? [] : [bytes]);
    },
    async stat(scope, key) {
      const found = contents.get(nameOf(scope, key));
      return found ? { size: found.bytes.length } : null;
    },
    delete: async (scope, key) => contents.delete(nameOf(scope, key)),
    address: () => null,
    async *list() {
      for (const { scope, key, storedAt } of [...contents.values()]) yield { scope, key, storedAt };
    },
    cleanStaging: async () => 0,
  };
}
