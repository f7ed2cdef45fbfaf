// Content store in files: staged in {root}/staging, visible below {root}/content.
import { mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { checkScope, kindOf, type PackPlace, packedKey, placeOf } from './content-places.js';
import type { ListedContentStore } from './content-store.js';
import type { DiskRoom } from './disk-room.js';
import { nullIfMissing, syncDirectory } from './file-system.js';
import { createFsBatch } from './fs-content-batch.js';
import { DamagedPackError } from './pack.js';
import { listPack, readFromPack, removeFromPack, sizeInPack } from './pack-files.js';

const READ_PIECE = 256 * 1024;

export interface ContentStoreOptions {
  /** Called for a damaged pack, which is omitted from the list. If omitted, listing fails at that file. */
  readonly onDamaged?: (path: string, error: Error) => void;
  /** Called if a pack could not be compacted; the next deletion in it tries it again. */
  readonly onCompactionFailed?: (path: string, error: unknown) => void;
  /** If omitted, contents may fill the disk. */
  readonly room?: Pick<DiskRoom, 'check'>;
}

function rethrow(_path: string, error: Error): never {
  throw error;
}

/**
 * Opens a content store in a folder, which is created if missing. Staging and content are on the same file system, so that
 * a rename makes content visible atomically.
 *
 * @example
 * const store = await createFsContentStore('/var/lib/cidermill/blobs');
 */
export async function createFsContentStore(
  root: string,
  { onDamaged = rethrow, onCompactionFailed = () => {}, room }: ContentStoreOptions = {},
): Promise<ListedContentStore> {
  const staging = join(root, 'staging');
  const content = join(root, 'content');
  const folders = new Map<string, Promise<void>>();
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await mkdir(content, { recursive: true, mode: 0o700 });

  /** Creates each folder once; all batches that need it wait until it is durable. */
  const ensureFolder = (folder: string): Promise<void> => {
    let ready = folders.get(folder);
    if (!ready) {
      ready = makeFolder(folder, content);
      folders.set(folder, ready);
      ready.catch(() => folders.delete(folder));
    }
    return ready;
  };

  const damaged = (path: string, error: unknown) => {
    if (!(error instanceof DamagedPackError)) throw error;
    onDamaged(path, error);
    return [];
  };

  /** Deletions are serialized: two of them must not compact one pack concurrently. */
  let removing: Promise<unknown> = Promise.resolve();
  const removePacked = (place: PackPlace): Promise<boolean> => {
    const work = () => removeFromPack(place, { staging, onCompactionFailed });
    const removed = removing.then(work, work);
    removing = removed;
    return removed;
  };

  return {
    batch(scope) {
      checkScope(scope);
      return createFsBatch({ staging, content, ensureFolder, room }, scope);
    },
    async open(scope, key, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      const { path, pack } = placeOf(content, scope, key);
      if (pack) {
        const bytes = await readFromPack(pack, { start, end });
        return Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false });
      }
      const file = await open(path, 'r');
      if (end <= start) {
        await file.close();
        return Readable.from([]);
      }
      return file.createReadStream({ start, end: end - 1, highWaterMark: READ_PIECE });
    },
    async stat(scope, key) {
      const { path, pack } = placeOf(content, scope, key);
      if (pack) return sizeInPack(pack);
      const found = await stat(path).catch(nullIfMissing);
      return found && { size: found.size };
    },
    async delete(scope, key) {
      const { path, pack } = placeOf(content, scope, key);
      return pack ? removePacked(pack) : (await rm(path).catch(nullIfMissing)) !== null;
    },
    address: () => null,
    async *list() {
      for await (const { name: scope } of await opendir(content)) {
        for await (const { name: folder } of await opendir(join(content, scope))) {
          for await (const { name } of await opendir(join(content, scope, folder))) {
            const path = join(content, scope, folder, name);
            for (const found of await contentsOf(path, folder, name).catch((error) => damaged(path, error))) {
              yield { scope, ...found };
            }
          }
        }
      }
    },
    async cleanStaging(before) {
      let removed = 0;
      for await (const { name } of await opendir(staging)) {
        const found = await stat(join(staging, name)).catch(nullIfMissing);
        if (!found || found.mtimeMs >= before) continue;
        await rm(join(staging, name), { force: true });
        removed++;
      }
      return removed;
    },
  };
}

/** Returns the contents in one file of a scope's folders. */
async function contentsOf(path: string, folder: string, name: string) {
  const kind = kindOf(folder, name);
  if (kind === 'foreign') return [];
  if (kind === 'content') {
    const found = await stat(path).catch(nullIfMissing);
    return found ? [{ key: name, storedAt: found.mtimeMs }] : [];
  }
  const { slots, storedAt } = (await listPack(path)) ?? { slots: [], storedAt: 0 };
  return slots.flatMap(({ sha256, live }, slot) => (live ? [{ key: packedKey(sha256, name, slot), storedAt }] : []));
}

async function makeFolder(folder: string, above: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true, mode: 0o700 })) === undefined) return;
  await syncDirectory(dirname(folder));
  await syncDirectory(above);
}
