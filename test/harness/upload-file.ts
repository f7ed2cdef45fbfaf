import { gzipSync } from 'node:zlib';
import type { Client } from '../../client/index.js';
import { sha256 } from './sha256.js';

/** Uploads a folder with one file; returns the upload's id. */
export async function uploadFile(client: Client): Promise<string> {
  const bytes = Buffer.from('a file\n');
  const file = { path: 'file.txt', sha256: sha256(bytes), size: bytes.length, mode: 0o644 as const };
  const { id, missing } = await client.uploads.create({ project: 'test', files: [file] });
  const body = gzipSync(Buffer.concat([Buffer.from(`${file.sha256} ${bytes.length}\n`), bytes]));
  if (missing.length > 0) await client.uploads.blobs(id, () => new Uint8Array(body));
  return id;
}
