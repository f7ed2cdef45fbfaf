// Objects as files of a folder, which several processes may share: staged in {root}/staging, visible below
// {root}/objects.
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { isErrno } from '../../../shared/errno.js';
import { BlobError } from './blob-error.js';
import type { DiskRoom } from './disk-room.js';
import { nullIfMissing, storageError, storing, syncDirectory } from './file-system.js';
import { checkKey, checkStored, MissingObjectError, type ObjectStore, piecesOf } from './object-store.js';

const READ_PIECE = 256 * 1024;
/** The free space is checked again after this many bytes. */
const ROOM_STEP = 8 * 1024 * 1024;

/** @example const objects = await openFolderObjects('/mnt/shared/cidermill'); */
export async function openFolderObjects(
  root: string,
  { room }: { readonly room?: Pick<DiskRoom, 'check'> } = {},
): Promise<ObjectStore> {
  const staging = join(root, 'staging');
  const objects = join(root, 'objects');
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await mkdir(objects, { recursive: true, mode: 0o700 });

  const pathOf = (key: string) => {
    checkKey(key);
    return join(objects, key);
  };
  /** The folder of an unmounted disk is empty: then nothing says that an object is gone. */
  const check = async () => {
    const found = await stat(objects).catch(nullIfMissing);
    if (!found?.isDirectory()) throw new BlobError('away', `The folder ${objects} is not there.`);
  };
  const ifMissing = async (error: unknown, key: string): Promise<never> => {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw storageError(error);
    await check();
    throw new MissingObjectError(key);
  };

  return {
    check: () => check().catch((error) => Promise.reject(storageError(error))),
    async put(key, source, expected) {
      const path = pathOf(key);
      await storing(check());
      await room?.check(expected?.size ?? 0);
      const temporary = join(staging, `${randomBytes(12).toString('hex')}`);
      const file = await storing(open(temporary, 'wx', 0o600));
      try {
        const stored = await write(file, piecesOf(source), {
          room,
          longest: expected?.size ?? Number.POSITIVE_INFINITY,
        });
        checkStored(stored, expected);
        await storing(file.sync());
        await storing(publish(temporary, path, objects));
        return stored;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    },
    async open(key, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      const path = pathOf(key);
      const file = await open(path, 'r').catch((error) => ifMissing(error, key));
      if (end > start) return file.createReadStream({ start, end: end - 1, highWaterMark: READ_PIECE });
      await file.close();
      return Readable.from([]);
    },
    async stat(key) {
      const found = await stat(pathOf(key)).catch((error) => ifMissing(error, key).catch(nullIfMissing));
      return found && { size: found.size };
    },
    async delete(keys) {
      const paths = keys.map(pathOf);
      if (paths.length > 0) await storing(check());
      const folders = new Set<string>();
      for (const path of paths) {
        const removed = await storing(rm(path).then(() => true, isMissing));
        if (removed) folders.add(dirname(path));
      }
      await storing(Promise.all([...folders].map(syncDirectory)));
    },
    address(key) {
      checkKey(key);
      return null;
    },
    async dropUnfinished(before) {
      let removed = 0;
      for await (const { name } of await storing(opendir(staging))) {
        const found = await stat(join(staging, name)).catch(nullIfMissing);
        if (!found || found.mtimeMs >= before) continue;
        await storing(rm(join(staging, name), { force: true }));
        removed++;
      }
      return removed;
    },
    close: async () => {},
  };
}

async function write(
  file: FileHandle,
  source: AsyncIterable<Buffer>,
  { room, longest }: { readonly room: Pick<DiskRoom, 'check'> | undefined; readonly longest: number },
) {
  const hash = createHash('sha256');
  let size = 0;
  let checked = ROOM_STEP;
  for await (const piece of source) {
    size += piece.length;
    if (size > longest) break;
    if (size > checked) {
      await room?.check(ROOM_STEP);
      checked = size + ROOM_STEP;
    }
    hash.update(piece);
    await storing(file.writeFile(piece));
  }
  return { sha256: hash.digest('hex'), size };
}

/** Makes a file visible under its name, and the name durable. */
async function publish(temporary: string, path: string, above: string): Promise<void> {
  const folder = dirname(path);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(temporary, path);
  await syncDirectory(folder);
  if (created === undefined) return;
  for (let at = dirname(folder); at.length >= above.length; at = dirname(at)) await syncDirectory(at);
}

/** For a rejected call: returns false if there is no such file, and rethrows any other error. */
function isMissing(error: unknown): false {
  if (isErrno(error, 'ENOENT', 'ENOTDIR')) return false;
  throw error;
}
