// Content in files: {root}/content/{scope}/{first two hex digits}/{sha256}-{generation}, staged in {root}/staging.
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { ApiError } from '../domain/error-catalog.js';
import type { ContentBatch, ContentStore, StoredContent } from './content-store.js';
import { inParallel, nullIfMissing, storageError, syncDirectory } from './file-system.js';

interface Staged {
  file: FileHandle;
  temporary: string;
  content: StoredContent;
}

const SCOPE = /^[A-Za-z0-9_-]{1,64}$/;
const KEY = /^[0-9a-f]{64}-[0-9a-f]{16}$/;
/** Files of one batch that are made durable at the same time. */
const PARALLEL_SYNCS = 8;
const READ_PIECE = 256 * 1024;

/**
 * A content store in a folder, made when missing. Staging and content lie on one file system, so that a
 * rename makes content visible whole or not at all.
 *
 * @example
 * const store = await createFsContentStore('/var/lib/cidermill/blobs');
 */
export async function createFsContentStore(root: string): Promise<ContentStore> {
  const staging = join(root, 'staging');
  const content = join(root, 'content');
  const folders = new Map<string, Promise<void>>();
  await mkdir(staging, { recursive: true });
  await mkdir(content, { recursive: true });

  const folderOf = (scope: string, key: string) => {
    if (!SCOPE.test(scope) || !KEY.test(key)) throw new TypeError('malformed scope or key');
    return join(content, scope, key.slice(0, 2));
  };
  const pathOf = (scope: string, key: string) => join(folderOf(scope, key), key);

  /** Once a folder; every batch that needs it waits until its name is durable. */
  const ensureFolder = (folder: string): Promise<void> => {
    let ready = folders.get(folder);
    if (!ready) {
      ready = makeFolder(folder, content);
      folders.set(folder, ready);
      ready.catch(() => folders.delete(folder));
    }
    return ready;
  };

  const batch = (scope: string): ContentBatch => {
    if (!SCOPE.test(scope)) throw new TypeError('malformed scope');
    const staged = new Map<string, Staged>();

    const drop = async ({ file, temporary, content: { key } }: Staged) => {
      staged.delete(key);
      await file.close();
      await rm(temporary, { force: true });
    };
    const publish = async (one: Staged) => {
      const folder = folderOf(scope, one.content.key);
      await one.file.sync();
      await ensureFolder(folder);
      await rename(one.temporary, join(folder, one.content.key));
      staged.delete(one.content.key);
      await one.file.close();
    };

    return {
      async add(source, expected) {
        const generation = randomBytes(8).toString('hex');
        const temporary = join(staging, generation);
        const file = await storing(open(temporary, 'wx', 0o600));
        try {
          const { sha256, size } = await write(file, source, expected?.size);
          if (expected && (size !== expected.size || sha256 !== expected.sha256)) {
            throw new ApiError('invalid_blob', {
              message: 'The bytes sent do not have the named hash and size.',
              detail: { sha256: expected.sha256 },
            });
          }
          const stored = { key: `${sha256}-${generation}`, sha256, size };
          staged.set(stored.key, { file, temporary, content: stored });
          return stored;
        } catch (error) {
          await file.close();
          await rm(temporary, { force: true });
          throw error;
        }
      },
      async discard(key) {
        const one = staged.get(key);
        if (one) await drop(one);
      },
      async commit() {
        const touched = new Set([...staged.keys()].map((key) => folderOf(scope, key)));
        await storing(inParallel([...staged.values()], PARALLEL_SYNCS, publish));
        await storing(inParallel([...touched], PARALLEL_SYNCS, syncDirectory));
      },
      async abort() {
        for (const one of [...staged.values()]) await drop(one);
      },
    };
  };

  return {
    batch,
    async open(scope, key, { start = 0, end = Number.POSITIVE_INFINITY } = {}) {
      const file = await open(pathOf(scope, key), 'r');
      if (end <= start) {
        await file.close();
        return Readable.from([]);
      }
      return file.createReadStream({ start, end: end - 1, highWaterMark: READ_PIECE });
    },
    async stat(scope, key) {
      const found = await stat(pathOf(scope, key)).catch(nullIfMissing);
      return found && { size: found.size };
    },
    async delete(scope, key) {
      const path = pathOf(scope, key);
      return (await rm(path).catch(nullIfMissing)) !== null;
    },
    async *list() {
      for await (const scope of await opendir(content)) {
        for await (const shard of await opendir(join(content, scope.name))) {
          for await (const { name } of await opendir(join(content, scope.name, shard.name))) {
            const found = await stat(join(content, scope.name, shard.name, name)).catch(nullIfMissing);
            if (found && KEY.test(name)) yield { scope: scope.name, key: name, storedAt: found.mtimeMs };
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

async function makeFolder(folder: string, above: string): Promise<void> {
  if ((await mkdir(folder, { recursive: true })) === undefined) return;
  await syncDirectory(dirname(folder));
  await syncDirectory(above);
}

/** Writes the stream and hashes it on the way; stops as soon as it is longer than expected. */
async function write(file: FileHandle, source: AsyncIterable<Buffer>, longest = Number.POSITIVE_INFINITY) {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > longest) break;
    hash.update(chunk);
    await storing(file.writeFile(chunk));
  }
  return { sha256: hash.digest('hex'), size };
}

/** Only the store's own work fails as storage; an error of the stream that is stored stays what it is. */
async function storing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw storageError(error);
  }
}
