// Request bodies of uploads, and helpers to send them.
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import type { Harness } from './harness.js';
import { sha256 } from './sha256.js';

export type Folder = Readonly<Record<string, string | Buffer>>;

/** Returns the manifest of a folder as a client writes it. */
export const manifestOf = (folder: Folder, project: unknown = 'demo') => ({
  project,
  files: Object.entries(folder).map(([path, content]) => ({
    path,
    sha256: sha256(content),
    size: Buffer.byteLength(content),
    mode: path.endsWith('.sh') ? 0o755 : 0o644,
  })),
});

export const record = (content: string | Buffer, { hash = sha256(content), size = Buffer.byteLength(content) } = {}) =>
  Buffer.concat([Buffer.from(`${hash} ${size}\n`), Buffer.from(content)]);

/** The tests are not about compression, which would take longer than the uploads. */
const FAST = { level: 1 };
/** For large random contents. */
const STORED = { level: 0 };

/** Returns a gzipped tar of a local folder. */
export const tarOf = (dir: string, ...what: string[]) =>
  gzipSync(execFileSync('tar', ['-cC', dir, ...what], { maxBuffer: 1e9 }), FAST);

export function uploader({ inject, keys }: Pick<Harness, 'inject' | 'keys'>) {
  const send = (path: string, payload: Buffer, { key = keys.all, type = 'application/gzip' } = {}) =>
    inject({
      method: 'POST',
      url: `/api/v1${path}`,
      headers: { 'service-error-format': '2', authorization: `Bearer ${key}`, 'content-type': type },
      payload,
    });
  return {
    send,
    announce: (manifest: unknown, options?: { key?: string }) =>
      send('/uploads', gzipSync(JSON.stringify(manifest)), options),
    sendBlobs: (id: string, records: readonly Buffer[], options?: { key?: string }) =>
      send(`/uploads/${id}/blobs`, gzipSync(Buffer.concat(records), STORED), options),
    sendTar: (tar: Buffer, query = '', type?: string) =>
      send(`/uploads/tar${query}`, tar, type === undefined ? {} : { type }),
  };
}
