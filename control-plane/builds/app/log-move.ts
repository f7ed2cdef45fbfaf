// Copies logs from files into the form that several processes share, while the service does not run: logs of ended builds into
// objects, the others into the database. Killed at any instant and run again, it goes on.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hashOf, type MoveDeps } from '../../platform/app/content-move.js';
import { BlobError } from '../../platform/blobs/blob-error.js';
import { inParallel, nullIfMissing } from '../../platform/blobs/file-system.js';
import type { MovedKind } from '../../platform/domain/moved-objects.js';
import type { LogPiece, StoredLog } from '../domain/stored-log.js';
import { newLogKey } from '../logs/ended-logs.js';
import { type LogCopy, openLogCopy } from '../logs/log-copy.js';
import { logPath } from '../logs/log-folders.js';
import { indexKey } from '../logs/object-log.js';
import {
  type BuildWithLog,
  completeStoredLog,
  eachBuildWithLog,
  findStoredLog,
  insertPieces,
  replaceStoredLog,
} from '../store/build-logs.js';

const PAGE = 250;
const AT_ONCE = 12;
/** Pieces that one transaction writes. */
const PIECES = 16;

/** @throws BlobError `away` */
export async function moveLogs(deps: MoveDeps): Promise<MovedKind> {
  const hash = createHash('sha256');
  let [count, bytes] = [0, 0];
  for await (const page of eachBuildWithLog(deps.store, PAGE)) {
    const moved = new Map<string, { readonly length: number; readonly sha256: string }>();
    await inParallel(page, AT_ONCE, async (build) => {
      deps.signal.throwIfAborted();
      const one = await moveLog(deps, build);
      if (one !== null) moved.set(build.buildId, one);
    });
    for (const { buildId } of page) {
      const one = moved.get(buildId);
      if (one === undefined) continue;
      hash.update(`${buildId} ${one.sha256}\n`);
      count++;
      bytes += one.length;
    }
    deps.onProgress(page.length);
  }
  return { kind: 'logs', count, bytes, sha256: hash.digest('hex') };
}

/** Returns null if there is no log. */
async function moveLog(deps: MoveDeps, { buildId, endedAt, logBytes }: BuildWithLog) {
  const file = `${logPath(deps.root, buildId)}.log`;
  const found = await stat(file).catch(nullIfMissing);
  if (found === null && (logBytes ?? 0) > 0) deps.onLost(file);
  if (found === null || found.size === 0) return null;
  const known = await findStoredLog(deps.store, buildId);
  if (endedAt !== null && known !== null && (await isComplete(deps, known, found.size)))
    return { length: known.length, sha256: known.objectHash ?? '' };
  const copy = await openLogCopy(deps.root, buildId);
  if (copy === null) return null;
  try {
    const { sha256 } = await hashOf(copy.bytes());
    const log = { ...copy.log, writtenAt: Math.floor(found.mtimeMs) };
    if (endedAt === null) await intoRows(deps, copy, log);
    else await intoObjects(deps, copy, { ...log, objectKey: known?.objectKey ?? newLogKey() }, sha256);
    return { length: log.length, sha256 };
  } finally {
    await copy.close();
  }
}

async function isComplete({ objects }: MoveDeps, log: StoredLog, size: number): Promise<boolean> {
  const { objectKey, objectHash, length, indexBytes } = log;
  if (objectKey === null || objectHash === null || length !== size) return false;
  const [stored, index] = await Promise.all([objects.stat(objectKey), objects.stat(indexKey(objectKey))]);
  return stored?.size === length && index?.size === indexBytes;
}

async function intoRows({ store }: MoveDeps, copy: LogCopy, log: StoredLog): Promise<void> {
  await store.transaction((tx) => replaceStoredLog(tx, { ...log, hasPieces: true }));
  let some: LogPiece[] = [];
  const add = () => store.transaction((tx) => insertPieces(tx, some));
  for await (const piece of copy.pieces()) {
    some.push(piece);
    if (some.length < PIECES) continue;
    await add();
    some = [];
  }
  await add();
}

async function intoObjects(
  { store, objects }: MoveDeps,
  copy: LogCopy,
  log: StoredLog & { readonly objectKey: string },
  sha256: string,
): Promise<void> {
  const { buildId, objectKey, length } = log;
  // The row names the objects before they are written.
  await store.transaction((tx) => replaceStoredLog(tx, log));
  await objects.put(objectKey, copy.bytes(), { size: length, sha256 });
  const index = { size: copy.index.length, sha256: createHash('sha256').update(copy.index).digest('hex') };
  await objects.put(indexKey(objectKey), copy.index, index);
  for (const [key, expected] of [[objectKey, sha256] as const, [indexKey(objectKey), index.sha256] as const])
    if ((await hashOf(await objects.open(key))).sha256 !== expected)
      throw new BlobError('failed', `the object ${key} is not a copy of the log of ${buildId}`);
  await store.transaction((tx) =>
    completeStoredLog(tx, buildId, { objectHash: sha256, indexBytes: copy.index.length }),
  );
}
