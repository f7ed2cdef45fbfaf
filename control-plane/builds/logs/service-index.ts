// The numbers of the lines that the service wrote to a log: a file of entries that grows with the log. An entry is written
// before its bytes, so that no line is ever seen without it. Lines that a host does not mark count as output of the build.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import type { LogBytes } from './build-logs.js';
import { readAt, writeAt } from './file-bytes.js';

const LF = 0x0a;
/** First line, last line, and the offset at which it ends: six bytes each. */
const ENTRY = 18;
/**
 * Maximum number of entries. Consecutive lines are one entry, so a correct host needs few; further lines are not
 * marked.
 */
const MOST = 10_000;

interface Entry {
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/** Not for concurrent use. */
export interface ServiceIndex {
  /** Loads the index from disk, without what is beyond the end of the log. */
  load(log: { size: number; lines: number; lineStart(line: number): Promise<number> }): Promise<void>;
  /** Adds the parts of bytes that are about to be appended. @param appended.lineFeeds in the log before the bytes */
  add(
    parts: readonly LogBytes[],
    appended: { offset: number; bytes: Buffer; lineFeeds: number },
  ): Promise<void>;
  /** Returns whether the service wrote the line. The answer does not change later. */
  lines(): (line: number) => boolean;
  /** Makes the entries durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export function createServiceIndex(path: string): ServiceIndex {
  let file: FileHandle | null = null;
  let entries: Entry[] = [];

  const store = async (added: readonly Entry[]) => {
    file ??= await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    await writeAt(file, entries.length * ENTRY, encode(added));
    entries.push(...added);
  };

  return {
    async load({ size, lines, lineStart }) {
      file ??= await open(path, 'r+').catch(nullIfMissing);
      if (file === null) return;
      const all = decode(await readAt(file, 0, MOST * ENTRY));
      const beyond = all.findIndex(({ end }) => end > size);
      entries = beyond < 0 ? all : all.slice(0, beyond);
      await file.truncate(entries.length * ENTRY);
      const cut = all[entries.length];
      // The process was killed between the entry and its bytes, or in the middle of them.
      if (cut && (await lineStart(cut.first)) < size)
        await store([{ first: cut.first, last: lines, end: size }]);
    },
    async add(parts, { offset, bytes, lineFeeds }) {
      const added: Entry[] = [];
      let counted = 0;
      let done = 0;
      let line = lineFeeds + 1;
      /** Returns the number of the line at an offset. Offsets must be ascending. */
      const lineAt = (place: number) => {
        for (let at = bytes.indexOf(LF, counted); at >= 0 && at < place; at = bytes.indexOf(LF, counted)) {
          line++;
          counted = at + 1;
        }
        return line;
      };
      for (const { from, to } of parts) {
        const start = Math.max(from - offset, done);
        const stop = Math.min(to - offset, bytes.length);
        if (start >= stop || entries.length + added.length >= MOST) continue;
        done = stop;
        const first = lineAt(start);
        added.push({ first, last: lineAt(stop - 1), end: offset + stop });
      }
      if (added.length > 0) await store(added);
    },
    lines() {
      const all = entries;
      return (line) => {
        let low = 0;
        let high = all.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if ((all[middle]?.last ?? 0) < line) low = middle + 1;
          else high = middle;
        }
        const entry = all[low];
        return entry !== undefined && entry.first <= line;
      };
    },
    sync: async () => file?.sync(),
    close: async () => file?.close(),
  };
}

function encode(entries: readonly Entry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * ENTRY);
  entries.forEach(({ first, last, end }, n) => {
    bytes.writeUIntBE(first, n * ENTRY, 6);
    bytes.writeUIntBE(last, n * ENTRY + 6, 6);
    bytes.writeUIntBE(end, n * ENTRY + 12, 6);
  });
  return bytes;
}

/** Returns the entries of a file up to the first one out of order. */
function decode(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY <= bytes.length; at += ENTRY) {
    const first = bytes.readUIntBE(at, 6);
    const last = bytes.readUIntBE(at + 6, 6);
    const end = bytes.readUIntBE(at + 12, 6);
    const before = entries.at(-1) ?? { last: 1, end: 0 };
    if (first < before.last || last < first || end <= before.end) break;
    entries.push({ first, last, end });
  }
  return entries;
}
