import { constants, gzipSync } from 'node:zlib';
import type { ScannedFile } from '../files/scan.js';

/** Compression level: none where the network is faster than compressing, otherwise fast. */
export type Compression = 'none' | 'fast';

/** Compression for a service's address: none on the same machine. */
export function compressionFor(url: string): Compression {
  const host = new URL(url).hostname;
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.') ? 'none' : 'fast';
}

/** Upper bound of the bytes that gzip adds to a manifest. */
const SLACK_BYTES = 64 * 1024;

/** zlib options for a compression. */
export function gzipOptions(compression: Compression): { level: number } {
  return { level: compression === 'none' ? constants.Z_NO_COMPRESSION : constants.Z_BEST_SPEED };
}

/**
 * The gzip of a folder's manifest.
 *
 * @param of.base an upload with the same paths, from which only `files` differ
 */
export function packManifest(
  of: { project: string; base?: string },
  files: readonly ScannedFile[],
  compression: Compression,
): Uint8Array {
  const entries = files.map(({ path, sha256, size, mode }) => ({ path, sha256, size, mode }));
  const text = Buffer.from(JSON.stringify({ ...of, files: entries }));
  // Compressed in one piece; by default zlib would use chunks of 16 KiB, with an event-loop turn for each.
  return gzipSync(text, { ...gzipOptions(compression), chunkSize: text.length + SLACK_BYTES });
}
