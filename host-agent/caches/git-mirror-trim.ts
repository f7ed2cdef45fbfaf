// Keeps an account's repository mirrors below their limit by deleting the least recently used mirrors.
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ifUnlocked, type LockOptions } from '../system/lock.js';
import { removeTree } from '../system/remove-tree.js';
import { dropMirror, LAST_USED, lockPath, mirrorRoot } from './git-mirror.js';

const DAY_MS = 24 * 3_600_000;
// A build may be checking out of a mirror without holding its lock.
const IN_USE_MS = 600_000;

/** Deletes mirrors until the rest takes at most `limit` bytes. Mirrors used in the last ten minutes are kept. */
export async function trimMirrors(cacheDir: string, limit: number, lock: LockOptions): Promise<void> {
  const root = mirrorRoot(cacheDir);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const now = lock.clock.now();
  const mirrors: { path: string; bytes: number; usedMs: number }[] = [];
  for (const name of readdirSync(root)) {
    const path = join(root, name);
    if (name.endsWith('.git')) mirrors.push({ path, bytes: sizeOf(path), usedMs: timeOf(join(path, LAST_USED)) });
    // Left over from creating, deleting or locking a mirror when the process was killed.
    else if (!name.endsWith('.owner') && now - timeOf(path) > DAY_MS) await removeTree(path, lock.signal);
  }
  mirrors.sort((a, b) => a.usedMs - b.usedMs);
  let total = mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0);
  for (const { path, bytes, usedMs } of mirrors) {
    if (total <= limit || now - usedMs < IN_USE_MS) return;
    const dropped = await ifUnlocked(lockPath(path), async () => {
      await dropMirror(path, lock.signal);
      return true;
    });
    if (dropped) total -= bytes;
  }
}

function timeOf(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** The packs are nearly all of a mirror. */
function sizeOf(mirror: string): number {
  const pack = join(mirror, 'objects/pack');
  if (!lstatSync(pack, { throwIfNoEntry: false })) return 0;
  let bytes = 0;
  for (const name of readdirSync(pack)) bytes += lstatSync(join(pack, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}
