// Reads, lists and deletes contents in packs on disk.
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newGeneration, type PackPlace } from './content-places.js';
import { nullIfMissing } from './file-system.js';
import { DamagedPackError, encodePack, markGone, readAt, readIndex, readSlot, type Slot, withPack } from './pack.js';

/** Minimum of unused bytes before a pack is compacted. */
const WORTH_FREEING = 64 * 1024;

/** Returns the size of a content, or null if it does not exist. */
export async function sizeInPack({ path, slot, sha256 }: PackPlace): Promise<{ size: number } | null> {
  const found = await withPack(path, 'r', (file) => readSlot(file, slot, sha256)).catch(nullIfMissing);
  return found && { size: found.size };
}

/** Returns a content's bytes from `start` (inclusive) to `end` (exclusive). Rejects if the content does not exist. */
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

/** Returns the slots of a pack and the time (ms) when it was written; null if there is no such pack. */
export function listPack(path: string): Promise<{ slots: Slot[]; storedAt: number } | null> {
  return withPack(path, 'r', async (file) => {
    const { mtimeMs: storedAt } = await file.stat();
    return { slots: await readIndex(file), storedAt };
  }).catch(nullIfMissing);
}

/**
 * Deletes a content; returns false if it did not exist. The pack is deleted with its last content, and compacted when
 * most of it is unused; its modification time is preserved. Must not run concurrently for one pack: of two compactions,
 * one could restore a content that the other deleted, until the next garbage collection.
 *
 * @param options.staging a folder on the same file system as the pack
 * @param options.onCompactionFailed called if the content was deleted but its pack could not be compacted
 */
export async function removeFromPack(
  { path, slot, sha256 }: PackPlace,
  { staging, onCompactionFailed }: { staging: string; onCompactionFailed(path: string, error: unknown): void },
): Promise<boolean> {
  const removed = await withPack(path, 'r+', async (file) => {
    if (!(await readSlot(file, slot, sha256))) return false;
    const { size, atime, mtime } = await file.stat();
    await markGone(file, slot);
    await file.utimes(atime, mtime);
    // A damaged pack is left unchanged, because its other contents are unknown.
    const slots = await readIndex(file).catch(nullIfDamaged);
    if (!slots) return true;
    const live = slots.reduce((sum, one) => sum + (one.live ? one.size : 0), 0);
    if (!slots.some((one) => one.live)) await rm(path);
    else if (size - live > Math.max(live, WORTH_FREEING)) {
      // The content is already deleted by its mark. If compaction fails (typically because the disk is full), the
      // next deletion in this pack tries it again.
      await rewrite(file, slots, path, staging).catch((error) => onCompactionFailed(path, error));
    }
    return true;
  }).catch(nullIfMissing);
  return removed ?? false;
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof DamagedPackError) return null;
  throw error;
}

/** Replaces the pack by a file with only its live contents. Open readers continue to read the old file. */
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
