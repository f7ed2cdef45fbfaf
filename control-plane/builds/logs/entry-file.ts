// The file of a log's index: entries in the order of their offsets, found by binary search.
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { readAt, writeAt } from './file-bytes.js';
import { ENTRY, encodeEntries, entryIn, type IndexEntry, soundEntryIn } from './index-entries.js';

/** Entries that are read at once. */
const BLOCK = 512;

/** Not for concurrent use. */
export class EntryFile {
  readonly #file: FileHandle;
  readonly #name: number;
  /** Entries in the file. */
  #count = 0;
  /** The last one. */
  last: IndexEntry | null = null;
  /** How many of them mark lines of the service. */
  owned = 0;

  /**
   * @param file is closed by `close`
   * @param name of the log
   */
  constructor(file: FileHandle, name: string) {
    this.#file = file;
    this.#name = crc32(name);
  }

  /**
   * Loads the file up to the first entry that is damaged or that `isValid` refuses, and cuts it there. Returns false when
   * one was damaged.
   */
  async load(isValid: (entry: IndexEntry) => boolean): Promise<boolean> {
    this.#count = this.owned = 0;
    this.last = null;
    const { size } = await this.#file.stat();
    let isSound = true;
    for await (const entry of this.#stored(size)) {
      isSound = entry !== null && entry.offset > (this.last?.offset ?? -1);
      if (entry === null || !isSound || !isValid(entry)) break;
      this.#count++;
      if (entry.own > 0) this.owned++;
      this.last = entry;
    }
    if (size > this.#count * ENTRY) await this.#file.truncate(this.#count * ENTRY);
    return isSound;
  }

  async *#stored(size: number): AsyncGenerator<IndexEntry | null, void, undefined> {
    for (let at = 0; at < size; at += BLOCK * ENTRY) {
      const block = await readAt(this.#file, at, BLOCK * ENTRY);
      for (let n = 0; (n + 1) * ENTRY <= block.length; n++) yield soundEntryIn(block, n, this.#name);
    }
  }

  /** Adds entries. One at the offset of the last entry takes its place. */
  async add(added: readonly IndexEntry[]): Promise<void> {
    const [first] = added;
    if (!first) return;
    const replaces = first.offset === this.last?.offset;
    const place = replaces ? this.#count - 1 : this.#count;
    await writeAt(this.#file, place * ENTRY, encodeEntries(added, this.#name));
    if (replaces && this.last && this.last.own > 0) this.owned--;
    this.owned += added.filter(({ own }) => own > 0).length;
    this.#count = place + added.length;
    this.last = added.at(-1) ?? null;
  }

  /** Returns the last entry that meets a condition which all entries before it meet too, or null. */
  async lastThat(holds: (entry: IndexEntry) => boolean): Promise<IndexEntry | null> {
    const count = await this.#countThat(holds);
    return count === 0 ? null : entryIn(await readAt(this.#file, (count - 1) * ENTRY, ENTRY), 0);
  }

  /** Returns the bytes of the entries that hold between two offsets. */
  async between(from: number, to: number): Promise<Buffer> {
    const first = Math.max(0, (await this.#countThat(({ offset }) => offset <= from)) - 1);
    const end = await this.#countThat(({ offset }) => offset < to);
    return readAt(this.#file, first * ENTRY, Math.max(0, end - first) * ENTRY);
  }

  async #countThat(holds: (entry: IndexEntry) => boolean): Promise<number> {
    let low = 0;
    let high = this.#count;
    while (high - low > BLOCK) {
      const middle = (low + high) >> 1;
      if (holds(entryIn(await readAt(this.#file, middle * ENTRY, ENTRY), 0))) low = middle + 1;
      else high = middle;
    }
    const block = await readAt(this.#file, low * ENTRY, (high - low) * ENTRY);
    let n = 0;
    while (low + n < high && holds(entryIn(block, n))) n++;
    return low + n;
  }

  sync = (): Promise<void> => this.#file.sync();
  close = (): Promise<void> => this.#file.close();
}
