// The line index of a log and its file. What the file does not cover is read from the log.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { piecesOf, readAt, writeAt } from './file-bytes.js';
import { createLineIndex, decodePoints, type LineIndex } from './line-index.js';

/** Least bytes between two points of the line index. */
const STRETCH = 64 * 1024;
const LF = 0x0a;

/** Not for concurrent use. */
export interface LineIndexFile {
  index(): LineIndex;
  /** Loads the index from disk and indexes the rest of a log of this size. */
  load(size: number): Promise<void>;
  /** Stores points that `index().extend` returned. */
  store(points: Buffer): Promise<void>;
  /** Returns the offset at which line `line` (from 1) begins; the log's end if there is no such line. */
  lineStart(line: number): Promise<number>;
  close(): Promise<void>;
}

export async function openLineIndexFile(path: string, log: FileHandle): Promise<LineIndexFile> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  let index = createLineIndex(STRETCH);
  let bytes = 0;

  const store = async (points: Buffer) => {
    if (points.length === 0) return;
    await writeAt(file, bytes, points);
    bytes += points.length;
  };
  return {
    index: () => index,
    async load(size) {
      let points = decodePoints(await readAt(file, 0, (await file.stat()).size), size);
      const last = points.at(-1);
      // After a power loss the index may describe more than is left of the log.
      if (last && (await readAt(log, last.offset - 1, 1))[0] !== LF) points = [];
      index = createLineIndex(STRETCH, points);
      bytes = 0;
      await file.truncate(0);
      await store(index.encoded());
      for await (const piece of piecesOf(log, index.length(), size)) await store(index.extend(piece));
    },
    store,
    async lineStart(line) {
      if (line > index.lines()) return index.length();
      const point = index.before(line);
      let missing = line - 1 - point.lines;
      let offset = point.offset;
      for await (const piece of piecesOf(log, point.offset, index.length())) {
        let at = 0;
        for (; missing > 0; missing--) {
          const feed = piece.indexOf(LF, at);
          if (feed < 0) break;
          at = feed + 1;
        }
        if (missing === 0) return offset + at;
        offset += piece.length;
      }
      return offset;
    },
    close: () => file.close(),
  };
}
