// The index beside a log, {path}.log.index: where its lines are, when its bytes arrived, and which lines the service wrote.
// Entries are written with the bytes, at most one every 100 ms, and one for about every 64 KiB. Line numbers are counted
// again from the log where entries are missing; times and the lines of the service are in the index alone.
import { type FileHandle, open } from 'node:fs/promises';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import type { LogBytes, LogOrigin } from './build-logs.js';
import { EntryFile } from './entry-file.js';
import { PIECE, piecesOf } from './file-bytes.js';
import { ENTRY, entryIn, type IndexEntry, type LogMark, STILL_UNKNOWN, UNKNOWN } from './index-entries.js';
import { readOldMarks, removeOldFiles } from './old-side-files.js';

/** Shortest interval between two times, in ms: a time is at most this much too early. */
const INTERVAL_MS = 100;
/**
 * Maximum number of entries for lines of the service. Consecutive lines are one, so a correct host needs few; further
 * lines are not marked.
 */
const MOST_OWNED = 10_000;
const LF = 0x0a;
const START: IndexEntry = { offset: 0, feeds: 0, at: UNKNOWN, own: 0 };

/** Not for concurrent use. After a failed write it must be opened again. */
export class LogIndex {
  readonly #path: string;
  readonly #log: FileHandle;
  readonly #entries: EntryFile;
  #resumes = false;
  #feeds = 0;
  /** Bytes of the log. */
  length = 0;
  endsWithLine = true;

  private constructor(path: string, log: FileHandle, file: FileHandle) {
    this.#path = `${path}.log.index`;
    this.#log = log;
    this.#entries = new EntryFile(file);
  }

  /** Makes the index of an empty log. @param path without the extension */
  static async create(path: string, log: FileHandle): Promise<LogIndex> {
    return new LogIndex(path, log, await open(`${path}.log.index`, 'w+', 0o600));
  }

  /** Opens the index of a log of this size. Repairs it, or makes it, from the log and the files of older versions. */
  static async open(path: string, log: FileHandle, size: number): Promise<LogIndex> {
    const file = await open(`${path}.log.index`, 'r+').catch(nullIfMissing);
    const index = new LogIndex(path, log, file ?? (await open(`${path}.log.index.new`, 'w+', 0o600)));
    try {
      if (file) await index.load(size);
      else await index.#renew(size, await readOldMarks(path, log));
      await removeOldFiles(path);
      return index;
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /** Number of lines; an unfinished one counts. */
  lines(): number {
    return this.endsWithLine ? this.#feeds : this.#feeds + 1;
  }

  /** Adapts the index to a log that has this size now. */
  async load(size: number): Promise<void> {
    const entries = this.#entries;
    if (await entries.load((entry) => isWithin(entry, size))) {
      await entries.add(await this.#countRest(entries.last ?? START, size, []));
    } else {
      await this.#renew(size, soundMarks(await entries.all()));
    }
  }

  async #renew(size: number, marks: readonly LogMark[]): Promise<void> {
    const kept = marks.filter((mark) => isWithin(mark, size));
    await this.#entries.replace(this.#path, await this.#countRest(START, size, kept));
  }

  #count(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#feeds += feedsIn(bytes);
    this.endsWithLine = bytes[bytes.length - 1] === LF;
    this.length += bytes.length;
  }

  /** Counts the log from an entry on. Returns entries for the marks, and for each piece that has none. */
  async #countRest(from: IndexEntry, size: number, marks: readonly LogMark[]): Promise<IndexEntry[]> {
    const added: IndexEntry[] = [];
    let last: LogMark = from;
    this.length = from.offset;
    this.#feeds = from.feeds;
    this.endsWithLine = true;
    let next = 0;
    const add = (mark: LogMark) => {
      last = { ...mark, offset: this.length };
      added.push({ ...last, feeds: this.#feeds });
    };
    for await (const piece of piecesOf(this.#log, this.length, size)) {
      const start = this.length;
      if (start >= last.offset + PIECE) add(continued(last, start));
      for (let due = marks[next]; due && due.offset < start + piece.length; due = marks[++next]) {
        if (added.at(-1)?.offset === due.offset) added.pop();
        this.#count(piece.subarray(this.length - start, due.offset - start));
        add(due);
      }
      this.#count(piece.subarray(this.length - start));
    }
    for (const due of marks.slice(next)) add(due);
    return added;
  }

  /** Notes bytes that are about to be appended. @param service byte ranges of the log */
  async append(bytes: Buffer, service: readonly LogBytes[], now: number): Promise<void> {
    const { length } = this;
    const entries = this.#entries;
    const last = entries.last;
    const at = last?.at === STILL_UNKNOWN && !this.#resumes ? STILL_UNKNOWN : now;
    const added: IndexEntry[] = [];
    if (last === null || this.#resumes || isDue(last, length, at))
      added.push({ offset: length, feeds: this.#feeds, at, own: 0 });
    let done = 0;
    for (const { from, to } of service) {
      const start = Math.max(from - length, done);
      const stop = Math.min(to - length, bytes.length);
      if (start >= stop || entries.owned + added.length >= MOST_OWNED) continue;
      this.#count(bytes.subarray(done, start));
      if (added.at(-1)?.offset === this.length) added.pop();
      added.push({ offset: this.length, feeds: this.#feeds, at, own: stop - start });
      this.#count(bytes.subarray(start, stop));
      done = stop;
    }
    this.#count(bytes.subarray(done));
    this.#resumes = false;
    await entries.add(added);
  }

  /** The bytes from here on are sent again: they arrived before, so they have no time. */
  forgetTimes(): Promise<void> {
    return this.#entries.add([{ offset: this.length, feeds: this.#feeds, at: STILL_UNKNOWN, own: 0 }]);
  }

  /** The time of the next bytes is noted in any case. */
  resumeTimes(): void {
    this.#resumes = true;
  }

  /** Returns the offset at which line `line` (from 1) begins; the log's end if there is no such line. */
  async lineStart(line: number): Promise<number> {
    if (line > this.lines()) return this.length;
    if (line <= 1) return 0;
    const from = (await this.#entries.lastThat(({ feeds }) => feeds < line - 1)) ?? START;
    let missing = line - 1 - from.feeds;
    let offset = from.offset;
    for await (const piece of piecesOf(this.#log, offset, this.length)) {
      for (let feed = piece.indexOf(LF); feed >= 0; feed = piece.indexOf(LF, feed + 1))
        if (--missing === 0) return offset + feed + 1;
      offset += piece.length;
    }
    return offset;
  }

  /** Returns the number of the line that a byte is in. */
  async lineAt(offset: number): Promise<number> {
    const from = (await this.#entries.lastThat((entry) => entry.offset <= offset)) ?? START;
    let { feeds } = from;
    for await (const piece of piecesOf(this.#log, from.offset, offset)) feeds += feedsIn(piece);
    return feeds + 1;
  }

  /** See BuildLogs.origins. */
  async origins(from: number, to: number): Promise<(offset: number) => LogOrigin> {
    const found = await this.#entries.between(from, to);
    let entry = START;
    let n = 0;
    return (offset) => {
      for (; (n + 1) * ENTRY <= found.length && found.readUIntBE(n * ENTRY, 6) <= offset; n++)
        entry = entryIn(found, n);
      return {
        at: entry.at === UNKNOWN || entry.at === STILL_UNKNOWN ? null : entry.at,
        isOwn: offset < entry.offset + entry.own,
      };
    };
  }

  sync = (): Promise<void> => this.#entries.sync();
  close = (): Promise<void> => this.#entries.close();
}

/** An entry at the log's end was written before bytes that never came, unless it is about those that are sent again. */
const isWithin = ({ offset, at }: LogMark, size: number): boolean =>
  offset < size || (offset === size && at === STILL_UNKNOWN);

/** Returns whether bytes that arrive at an offset and a time need an entry, given the one before. */
function isDue(last: IndexEntry, offset: number, at: number): boolean {
  // After a power loss the log may end inside of the service's line.
  if (offset < last.offset + last.own || offset >= last.offset + PIECE) return true;
  return at !== last.at && (at < last.at || at - last.at >= INTERVAL_MS);
}

const continued = (mark: LogMark, offset: number): LogMark => ({
  offset,
  at: mark.at,
  own: Math.max(0, mark.offset + mark.own - offset),
});

/** Returns the marks of sound entries. In the place of damaged ones is one from which on times are unknown. */
function soundMarks(entries: readonly (IndexEntry | null)[]): LogMark[] {
  const marks: LogMark[] = [];
  for (const entry of entries) {
    const before = marks.at(-1);
    if (entry && entry.offset > (before?.offset ?? -1)) marks.push(entry);
    else if (before && before.at !== STILL_UNKNOWN)
      marks.push({ offset: before.offset + Math.max(1, before.own), at: STILL_UNKNOWN, own: 0 });
  }
  return marks;
}

function feedsIn(bytes: Buffer): number {
  let feeds = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) feeds++;
  return feeds;
}
