// Where logs are on disk: {root}/{last two characters of the id}/{build id}.*.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfMissing } from '../../platform/blobs/file-system.js';

/** The files of a log: its bytes and its index. */
export const LOG_FILES = ['log', 'log.index'] as const;

const BUILD_ID = /^[A-Za-z0-9_-]{3,64}$/;

/** Path of a log without the extension. Throws TypeError for a malformed id. */
export function logPath(root: string, buildId: string): string {
  if (!BUILD_ID.test(buildId)) throw new TypeError('malformed build id');
  return join(root, buildId.slice(-2), buildId);
}

const ENDING = new RegExp(`\\.(?:${LOG_FILES.join('|').replaceAll('.', '\\.')})$`);

/** Lists the builds that have a file, one folder at a time. */
export async function* listLogs(root: string): AsyncGenerator<readonly string[]> {
  for (const folder of (await readdir(root).catch(nullIfMissing)) ?? []) {
    const names = await readdir(join(root, folder)).catch(nullIfMissing);
    const ids = (names ?? []).map((name) => name.replace(ENDING, ''));
    const found = [...new Set(ids)].filter((id) => id.slice(-2) === folder);
    if (found.length > 0) yield found;
  }
}

/** @param path without the extension */
export async function logWrittenAt(path: string): Promise<number | null> {
  const times = await Promise.all(LOG_FILES.map((kind) => stat(`${path}.${kind}`).catch(nullIfMissing)));
  const written = times.flatMap((found) => (found ? [found.mtimeMs] : []));
  return written.length === 0 ? null : Math.max(...written);
}
