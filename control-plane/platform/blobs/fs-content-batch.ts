// Writes contents to files: staged first, then made durable, then made visible by a rename.
import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobError } from './blob-error.js';
import { newGeneration, packedKey, packPath, placeOf } from './content-places.js';
import { type ContentBatch, SMALL_CONTENT } from './content-store.js';
import type { DiskRoom } from './disk-room.js';
import { inParallel, storing, syncDirectory } from './file-system.js';
import { encodePack, type PackEntry } from './pack.js';

export interface BatchFolders {
  readonly staging: string;
  /** Must be on the same file system as `staging`. */
  readonly content: string;
  /** Creates a folder durably. */
  ensureFolder(folder: string): Promise<void>;
  readonly room: Pick<DiskRoom, 'check'> | undefined;
}

interface Staged {
  readonly file: FileHandle;
  readonly temporary: string;
}

/** Maximum concurrent fsync calls of one batch. */
const PARALLEL_SYNCS = 8;

/** For a content of unknown size, the free space is checked again after this many bytes. */
const ROOM_STEP = 8 * 1024 * 1024;

export function createFsBatch({ staging, content, ensureFolder, room }: BatchFolders, scope: string): ContentBatch {
  /** Staged files by their final path. */
  const staged = new Map<string, Staged>();
  const packed: PackEntry[] = [];
  const generationOfPack = newGeneration();
  const pathOfPack = packPath(content, scope, generationOfPack);

  const stage = async (generation: string, bytes: Buffer): Promise<Staged> => {
    const temporary = join(staging, generation);
    const one = { file: await open(temporary, 'wx', 0o600), temporary };
    try {
      await one.file.writeFile(bytes);
      return one;
    } catch (error) {
      await drop(one);
      throw error;
    }
  };
  const publish = async ([path, { file, temporary }]: [string, Staged]) => {
    await file.sync();
    await ensureFolder(dirname(path));
    await rename(temporary, path);
    staged.delete(path);
    await file.close();
  };

  return {
    async add(source, expected) {
      const hash = createHash('sha256');
      const longest = expected?.size ?? Number.POSITIVE_INFINITY;
      const generation = newGeneration();
      let size = 0;
      /** Chunks received so far, until the content is known to be large. */
      let pieces: Buffer[] = [];
      let large: Staged | null = null;
      let checked = expected?.size ?? ROOM_STEP;
      await room?.check(expected?.size ?? 0);
      try {
        for await (const chunk of source) {
          size += chunk.length;
          if (size > longest) break;
          if (size > checked) {
            await room?.check(ROOM_STEP);
            checked = size + ROOM_STEP;
          }
          hash.update(chunk);
          if (large) await storing(large.file.writeFile(chunk));
          else pieces.push(chunk);
          if (large || size <= SMALL_CONTENT) continue;
          large = await storing(stage(generation, pieces.length === 1 ? chunk : Buffer.concat(pieces)));
          pieces = [];
        }
        const sha256 = hash.digest('hex');
        if (expected && (size !== expected.size || sha256 !== expected.sha256)) {
          throw new BlobError('mismatch', 'The bytes sent do not have the named hash and size.');
        }
        if (large) {
          const key = `${sha256}-${generation}`;
          staged.set(placeOf(content, scope, key).path, large);
          return { key, sha256, size };
        }
        // Copy the bytes: a chunk may be a view that keeps a large buffer in memory.
        const slot = packed.push({ sha256, bytes: Buffer.concat(pieces) }) - 1;
        return { key: packedKey(sha256, generationOfPack, slot), sha256, size };
      } catch (error) {
        if (large) await drop(large);
        throw error;
      }
    },
    async discard(key) {
      const { path, pack } = placeOf(content, scope, key);
      if (pack && path === pathOfPack && packed[pack.slot]) packed[pack.slot] = { sha256: pack.sha256, bytes: null };
      const one = staged.get(path);
      staged.delete(path);
      if (one) await drop(one);
    },
    async commit() {
      if (packed.some(({ bytes }) => bytes !== null)) {
        staged.set(pathOfPack, await storing(stage(generationOfPack, encodePack(packed))));
        packed.length = 0;
      }
      const touched = new Set([...staged.keys()].map((path) => dirname(path)));
      await storing(inParallel([...staged], PARALLEL_SYNCS, publish));
      await storing(inParallel([...touched], PARALLEL_SYNCS, syncDirectory));
    },
    async abort() {
      packed.length = 0;
      for (const one of staged.values()) await drop(one);
      staged.clear();
    },
  };
}

async function drop({ file, temporary }: Staged): Promise<void> {
  await file.close();
  await rm(temporary, { force: true });
}
