// Whether the logs of ended builds are stored with as many bytes as are counted. Reads no bytes of them.
import { stat } from 'node:fs/promises';
import { inParallel, nullIfMissing } from '../../platform/blobs/file-system.js';
import type { ObjectStore } from '../../platform/blobs/object-store.js';
import type { Queries } from '../../platform/store/sql.js';
import { logPath } from '../logs/log-folders.js';
import { eachBuildWithLog, findStoredLog, hasLogOf } from '../store/build-logs.js';

/** Returns the bytes of a build's log; null: there is none. */
export type LogSize = (buildId: string) => Promise<number | null>;

/** @param root the folder of the logs */
export const sizeInFiles =
  (root: string): LogSize =>
  async (buildId) =>
    (await stat(`${logPath(root, buildId)}.log`).catch(nullIfMissing))?.size ?? null;

export const sizeInObjects =
  (q: Queries, objects: Pick<ObjectStore, 'stat'>): LogSize =>
  async (buildId) => {
    const log = await findStoredLog(q, buildId);
    if (log === null || log.objectKey === null || log.objectHash === null) return log?.length ?? null;
    return (await objects.stat(log.objectKey))?.size ?? null;
  };

const PAGE = 500;
const AT_ONCE = 12;

export interface WrongLog {
  readonly buildId: string;
  readonly counted: number;
  /** Null: there is none. */
  readonly stored: number | null;
}

/**
 * Returns the first `most` logs that are missing or of another length.
 *
 * @throws BlobError `away`
 */
export async function wrongLogs(q: Queries, sizeOf: LogSize, most: number): Promise<WrongLog[]> {
  const wrong: WrongLog[] = [];
  for await (const page of eachBuildWithLog(q, PAGE)) {
    await inParallel(page, AT_ONCE, async ({ buildId, endedAt, logBytes }) => {
      if (endedAt === null || logBytes === null) return;
      const stored = await sizeOf(buildId);
      if ((stored ?? 0) === logBytes) return;
      // It may have been deleted meanwhile.
      if (await hasLogOf(q, buildId, logBytes)) wrong.push({ buildId, counted: logBytes, stored });
    });
    if (wrong.length >= most) break;
  }
  return wrong.slice(0, most);
}
