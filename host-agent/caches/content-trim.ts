// Keeps an account's content cache below its limit by deleting the least recently used contents.
import { lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../../shared/durable-file.js';
import { unless } from '../../shared/errno.js';
import { takeTurns } from '../system/turns.js';
import { contentRoot, INCOMING } from './content-cache.js';

const DAY_MS = 24 * 3_600_000;
// Trimming stops well below the limit, so that not every later build has to trim.
const TRIMMED_TO = 0.8;

interface Content {
  path: string;
  bytes: number;
  usedMs: number;
}

/**
 * Trims the cache if it exceeds `limit` bytes after `added` bytes were added.
 *
 * The size is a running total, which concurrent builds may overwrite; once a day it is computed from the files. A
 * content that another build is about to use may be deleted; that build then fetches it.
 */
export async function trimContents(
  cacheDir: string,
  options: { limit: number; added: number; now: number; signal: AbortSignal },
): Promise<void> {
  const root = contentRoot(cacheDir);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const usagePath = join(root, 'usage');
  const known = readUsage(usagePath);
  if (known && options.added === 0) return;
  const total = (known?.bytes ?? 0) + options.added;
  if (known && total <= options.limit && options.now - known.countedAt < DAY_MS) {
    writeUsage(usagePath, { ...known, bytes: total });
  } else {
    const bytes = await dropOldest(cacheDir, options);
    writeUsage(usagePath, { bytes, countedAt: options.now });
  }
}

async function dropOldest(
  cacheDir: string,
  options: { limit: number; now: number; signal: AbortSignal },
): Promise<number> {
  const { contents, abandoned } = await listContents(cacheDir, options);
  for (const path of abandoned) drop(path);
  let total = contents.reduce((sum, content) => sum + content.bytes, 0);
  if (total <= options.limit) return total;
  contents.sort((a, b) => a.usedMs - b.usedMs);
  for (const content of contents) {
    if (total <= options.limit * TRIMMED_TO) break;
    drop(content.path);
    total -= content.bytes;
  }
  return total;
}

async function listContents(cacheDir: string, options: { now: number; signal: AbortSignal }) {
  const root = contentRoot(cacheDir);
  const turn = takeTurns(options.signal, 256);
  const contents: Content[] = [];
  const abandoned: string[] = [];
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    for (const name of readdirSync(join(root, folder.name))) {
      await turn();
      const path = join(root, folder.name, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found) continue;
      if (folder.name !== INCOMING) contents.push({ path, bytes: found.size, usedMs: found.mtimeMs });
      else if (options.now - found.mtimeMs > DAY_MS) abandoned.push(path);
    }
  }
  return { contents, abandoned };
}

function drop(path: string): void {
  unless(['ENOENT'], () => unlinkSync(path));
}

interface Usage {
  bytes: number;
  /** When the total was last computed from the files, ms. */
  countedAt: number;
}

/** Reads `<bytes> <ms>`. Returns null for a missing or damaged file; the total is then computed again. */
function readUsage(path: string): Usage | null {
  const text = unless(['ENOENT'], () => readFileSync(path, 'utf8')) ?? '';
  const [, bytes, countedAt] = /^(\d+) (\d+)\n$/.exec(text) ?? [];
  return bytes && countedAt ? { bytes: Number(bytes), countedAt: Number(countedAt) } : null;
}

function writeUsage(path: string, { bytes, countedAt }: Usage): void {
  writeDurably(path, `${bytes} ${countedAt}\n`, { durable: false });
}
