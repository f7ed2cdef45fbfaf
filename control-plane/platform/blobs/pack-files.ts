// Packs that lie on disk: reading a content out of one, and letting one go.
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newGeneration, type PackPlace } from './content-places.js';
import { nullIfMissing } from './file-system.js';
import {
  DamagedPackError,
  encodePack,
  markGone,
  readAt,
  readIndex,
  readSlot,
  type Slot,
  withPack,
} from './pack.js';

/** Bytes that must have become free before a pack is written anew without them. */
const WORTH_FREEING = 64 * 1024;

/** Null when the content is not there. */
export async function sizeInPack({ path, slot, sha256 }: PackPlace): Promise<{ size: number } | null> {
  const found = await withPack(path, 'r', (file) => readSlot(file, slot, sha256)).catch(nullIfMissing);
  return found && { size: found.size };
}

/** Bytes of a content from `start` up to (without) `end`. Rejects when it is not there. */
export function readFromPack(
  { path, slot, sha256 }: PackPlace,
  { start, end }: { start: number; end: number },
): Promise<Buffer> {
  return withPack(path, 'r', async (file) => {
    const found = await readSlot(file, slot, sha256);
    if (!found) throw Object.assign(new Error(`${sha256} is no more in its pack`), { code: 'ENOENT' });
    const from = Math.min(start, found.size);
    return whole(file, found.offset + from, Math.max(0, Math.min(end, found.size) - from));
  });
}

/** What a pack holds, by slot, and when it was written; null when there is no such pack. */
export function listPack(path: string): Promise<{ slots: Slot[]; storedAt: number } | null> {
  return withPack(path, 'r', async (file) => {
    const { mtimeMs: storedAt } = await file.stat();
    return { slots: await readIndex(file), storedAt };
  }).catch(nullIfMissing);
}

/**
 * False when the content was not there. The file goes with its last content, and is written anew when most of it is
 * free; its time stays what it was. Not to be called twice at the same time for one pack: of two that write it anew,
 * one would bring back what the other let go, until the next sweep.
 *
 * @param staging a folder on the same file system
 */
export async function removeFromPack({ path, slot, sha256 }: PackPlace, staging: string): Promise<boolean> {
  const removed = await withPack(path, 'r+', async (file) => {
    if (!(await readSlot(file, slot, sha256))) return false;
    const { size, atime, mtime } = await file.stat();
    await markGone(file, slot);
    await file.utimes(atime, mtime);
    // What is damaged is left as it is: nobody knows what else it holds.
    const slots = await readIndex(file).catch(nullIfDamaged);
    if (!slots) return true;
    const live = slots.reduce((sum, one) => sum + (one.live ? one.size : 0), 0);
    if (!slots.some((one) => one.live)) await rm(path);
    else if (size - live > Math.max(live, WORTH_FREEING)) {
      // The content is gone by its mark. What keeps the pack from being written anew (a full disk, mostly) is met
      // again by the next content that goes, which tries once more.
      await rewrite(file, slots, path, staging).catch(() => undefined);
    }
    return true;
  }).catch(nullIfMissing);
  return removed ?? false;
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof DamagedPackError) return null;
  throw error;
}

/** Puts a file with only what is live in the pack's place. Who reads the old one goes on reading it. */
async function rewrite(file: FileHandle, slots: readonly Slot[], path: string, staging: string) {
  const { atime, mtime } = await file.stat();
  const temporary = join(staging, newGeneration());
  const entries = [];
  for (const { sha256, offset, size, live } of slots)
    entries.push({ sha256, bytes: live ? await whole(file, offset, size) : null });
  const smaller = await open(temporary, 'wx', 0o600);
  try {
    await smaller.writeFile(encodePack(entries));
    await smaller.utimes(atime, mtime);
    await smaller.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await smaller.close();
  }
}

async function whole(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = await readAt(file, offset, length);
  if (bytes.length < length) throw new Error('a pack is shorter than its index says');
  return bytes;
}
