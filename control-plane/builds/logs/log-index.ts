// The index beside a log, {path}.log.index: where its lines are, when its bytes arrived, and which lines the service wrote.
// Entries are written with the bytes, at most one every 100 ms, and one for about every 64 KiB. Line numbers are counted
// again from the log where entries are missing; times and the lines of the service are in the index alone.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { isErrno } from '../../../shared/errno.js';
import type { LogBytes, LogOrigin } from './build-logs.js';
import { EntryFile } from './entry-file.js';
import { piecesOf } from './file-bytes.js';
import { type IndexEntry, isDue, MOST_OWNED, STILL_UNKNOWN, UNKNOWN } from './index-entries.js';
import { feedsIn, lineAfter, lineStartAfter, originsIn, START } from './line-places.js';

const LF = 0x0a;

/** Not for concurrent use. After a failed write it must be opened again. */
export class LogIndex {
  readonly #log: FileHandle;
  readonly #entries: EntryFile;
  #resumes = false;
  #feeds = 0;
  /** Bytes of the log. */
  length = 0;
  endsWithLine = true;

  private constructor(log: FileHandle, entries: EntryFile) {
    this.#log = log;
    this.#entries = entries;
  }

  /**
   * Opens the index of a log of this size; makes or repairs it from the log if necessary.
   *
   * @param path without the extension
   * @param isNew an existing file belongs to another log
   */
  static async open(path: string, log: FileHandle, size: number, isNew = false): Promise<LogIndex> {
    const flags = constants.O_RDWR | constants.O_CREAT | (isNew ? constants.O_TRUNC : 0);
    const file = await open(`${path}.log.index`, flags, 0o600);
    const index = new LogIndex(log, new EntryFile(file, basename(path)));
    try {
      await index.load(size);
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

  /** Line feeds in the log. */
  get feeds(): number {
    return this.#feeds;
  }

  /** Whether the next bytes are sent again. */
  get isResent(): boolean {
    return this.#entries.last?.at === STILL_UNKNOWN;
  }

  /** Returns the entries of all bytes. */
  whole = (): Promise<Buffer> => this.#entries.between(0, this.length);

  /** Adapts the index to a log that has this size now. */
  async load(size: number): Promise<void> {
    const entries = this.#entries;
    const isSound = await entries.load((entry) => isWithin(entry, size));
    const { last } = entries;
    // It is not known how far the time of the last sound entry applies.
    const offset = last ? last.offset + Math.max(1, last.own) : size;
    if (!isSound && offset < size && last?.at !== STILL_UNKNOWN)
      await entries.add([{ offset, feeds: (await this.lineAt(offset)) - 1, at: UNKNOWN, own: 0 }]);
    // A full disk must not keep anybody from reading: these entries only save time.
    await entries.add(await this.#countRest(entries.last ?? START, size)).catch(unlessFull);
  }

  #count(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#feeds += feedsIn(bytes);
    this.endsWithLine = bytes[bytes.length - 1] === LF;
    this.length += bytes.length;
  }

  /** Counts the log from an entry on. Returns an entry for each further piece. */
  async #countRest(from: IndexEntry, size: number): Promise<IndexEntry[]> {
    const added: IndexEntry[] = [];
    this.length = from.offset;
    this.#feeds = from.feeds;
    this.endsWithLine = true;
    for await (const piece of piecesOf(this.#log, from.offset, size)) {
      const { length: offset } = this;
      const own = Math.max(0, from.offset + from.own - offset);
      if (offset > from.offset) added.push({ offset, feeds: this.#feeds, at: from.at, own });
      this.#count(piece);
    }
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
    return lineStartAfter(from, line, piecesOf(this.#log, from.offset, this.length));
  }

  /** Returns the number of the line that a byte is in. */
  async lineAt(offset: number): Promise<number> {
    const from = (await this.#entries.lastThat((entry) => entry.offset <= offset)) ?? START;
    return lineAfter(from, piecesOf(this.#log, from.offset, offset));
  }

  /** See BuildLogs.origins. */
  async origins(from: number, to: number): Promise<(offset: number) => LogOrigin> {
    return originsIn(await this.#entries.between(from, to));
  }

  sync = (): Promise<void> => this.#entries.sync();
  close = (): Promise<void> => this.#entries.close();
}

/** An entry at the log's end was written before bytes that never came, unless it is about those that are sent again. */
const isWithin = ({ offset, at }: IndexEntry, size: number): boolean =>
  offset < size || (offset === size && at === STILL_UNKNOWN);

function unlessFull(error: unknown): void {
  if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
}
