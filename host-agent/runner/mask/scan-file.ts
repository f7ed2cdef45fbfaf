// Finds the secrets that occur in a file, such as an artifact, without changing it.
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createFinder } from './finder.js';
import type { CompiledSecrets } from './masker.js';
import { NO_NEEDLE } from './stream-views.js';

/**
 * Returns the names of the secrets that occur in a file or byte stream in any form that would be masked, sorted.
 * Stops as soon as all are found; memory does not depend on the size of the file. Rejects with the errors of reading
 * the file (ENOENT, EACCES, ...).
 */
export async function scanFile(
  file: string | Buffer | AsyncIterable<Uint8Array>,
  secrets: CompiledSecrets,
): Promise<string[]> {
  const names = new Set<string>();
  const finder = createFinder(secrets.search, 'names', (_start, _end, needle) => {
    if (needle !== NO_NEEDLE) names.add(secrets.needles.nameOf(needle));
  });
  const chunks: AsyncIterable<Uint8Array> =
    typeof file === 'string' || Buffer.isBuffer(file) ? createReadStream(file) : file;
  for await (const chunk of chunks) {
    finder.scan(chunk);
    if (names.size === secrets.needles.masked.size) break;
  }
  return [...names].sort();
}

/** The same for bytes in memory. */
export function scanBytes(bytes: Uint8Array, secrets: CompiledSecrets): string[] {
  const names = new Set<string>();
  const finder = createFinder(secrets.search, 'names', (_start, _end, needle) => {
    if (needle !== NO_NEEDLE) names.add(secrets.needles.nameOf(needle));
  });
  finder.scan(bytes);
  return [...names].sort();
}

/** Returns whether the file has no NUL byte near its start, which is how git detects text. */
export async function looksLikeText(file: string | Buffer): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8000), 0, 8000, 0);
    return !buffer.subarray(0, bytesRead).includes(0);
  } finally {
    await handle.close();
  }
}
