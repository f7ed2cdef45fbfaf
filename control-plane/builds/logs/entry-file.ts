// The file of a log's index: entries in the order of their offsets, found by binary search.
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../platform/blobs/file-system.js';
import { readAt, writeAt } from './file-bytes.js';
import { ENTRY, encodeEntries, entryIn, type IndexEntry, soundEntryIn } from './index-entries.js';

/** Entries that are read at once. */
const BLOCK = 512;

/** Not for concurrent use. */
export class EntryFile {
  #file: FileHandle;
  /** Entries in the file. */
  #count = 0;
  /** The last one. */
  last: IndexEntry | null = null;
  /** How many of them mark lines of the service. */
  owned = 0;

  /** @param file is closed by `close` */
  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Loads the file up to the first entry that `isValid` refuses. Returns false when one before it is damaged. */
  async load(isValid: (entry: IndexEntry) => boolean): Promise<boolean> {
    this.#count = this.owned = 0;
    this.last = null;
    for await (const entry of this.#stored()) {
      if (entry === null || entry.offset <= (this.last?.offset ?? -1)) return false;
      if (!isValid(entry)) break;
      this.#count++;
      if (entry.own > 0) this.owned++;
      this.last = entry;
    }
    const { size } = await this.#file.stat();
    if (size > this.#count * ENTRY) await this.#file.truncate(this.#count * ENTRY);
    return true;
  }

  /** Returns what is in the file, with null for what is damaged. */
  async all(): Promise<(IndexEntry | null)[]> {
    const all: (IndexEntry | null)[] = [];
    for await (const entry of this.#stored()) all.push(entry);
    return all;
  }

  async *#stored(): AsyncGenerator<IndexEntry | null, void, undefined> {
    const { size } = await this.#file.stat();
    for (let at = 0; at < size; at += BLOCK * ENTRY) {
      const block = await readAt(this.#file, at, BLOCK * ENTRY);
      for (let n = 0; (n + 1) * ENTRY <= block.length; n++) yield soundEntryIn(block, n);
    }
  }

  /** Adds entries. One at the offset of the last entry takes its place. */
  async add(added: readonly IndexEntry[]): Promise<void> {
    const [first] = added;
    if (!first) return;
    if (first.offset === this.last?.offset) {
      this.#count--;
      if (this.last.own > 0) this.owned--;
    }
    const place = this.#count * ENTRY;
    this.#count += added.length;
    this.owned += added.filter(({ own }) => own > 0).length;
    this.last = added.at(-1) ?? null;
    await writeAt(this.#file, place, encodeEntries(added));
  }

  /** Replaces the file at a path by one with these entries, in one step. */
  async replace(path: string, entries: readonly IndexEntry[]): Promise<void> {
    const renewed = await open(`${path}.new`, 'w+', 0o600);
    await this.#file.close();
    this.#file = renewed;
    this.#count = this.owned = 0;
    this.last = null;
    await this.add(entries);
    await renewed.sync();
    await rename(`${path}.new`, path);
    await syncDirectory(dirname(path));
  }

  /** Returns the last entry for which something holds that holds for all before it, or null. */
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
