// Brings a folder of a guest to this host: what a build left as artifacts.
import { writeFileSync } from 'node:fs';
import { type CallOptions, type GuestCall, openCall } from '../call.js';
import type { Frame } from '../frames.js';
import { guestProgram } from '../program.js';
import { fields } from '../run.js';
import { GuestError, type GuestTransport } from '../transport.js';
import { type Choice, chooseEntries, type NotFetched, type Unit } from './choose.js';
import { type ListedEntry, parseEntries, targetHere } from './listing.js';
import { createWriter, type Writer } from './write.js';

export interface CollectOptions {
  /** All files outside bundles; the rest of the files is left out. */
  maxBytes: number;
  /** All bundles, before they are compressed; a bundle beyond it is left out whole. */
  maxBundleBytes: number;
  /** The rest of the entries is left out. */
  maxEntries: number;
  maxDepth: number;
  /** Fails when there is no progress for this long. */
  timeoutMs: number;
  /** Ends the collection; what has arrived whole by then is kept. */
  signal: AbortSignal;
}

export interface CollectResult {
  /** Names relative to the folder; from the guest, so they may contain anything. */
  leftOut: { name: string; reason: NotFetched }[];
  /** There were more entries than the limit. */
  cut: boolean;
  /** The signal ended it. */
  halted: boolean;
}

/**
 * Copies files, folders and links with their modification times. Nothing is created at `to` when there is no such folder in
 * the guest; a file is, when something else was in its place.
 *
 * @param folders.to path of the new folder on this host
 * @throws GuestError; GuestUnreachableError; the error of the file system, on a full disk for example
 */
export async function collect(
  transport: GuestTransport,
  { from, to }: { from: string; to: string },
  options: CollectOptions,
): Promise<CollectResult> {
  const { signal, maxEntries, maxDepth } = options;
  const callOptions: CallOptions = { signal, timeoutMs: options.timeoutMs, restarting: true };
  const nothing: CollectResult = { leftOut: [], cut: false, halted: false };
  if (signal.aborted) return { ...nothing, halted: true };
  const call = openCall(transport, guestProgram('frames.pl', 'paths.pl', 'collect.pl'), callOptions);
  try {
    await call.send('collect', fields([from, String(maxEntries), String(maxDepth)]));
    const { root, entries, cut } = await readListing(call, maxEntries);
    if (root === 'absent') return nothing;
    if (root === 'replaced') {
      writeFileSync(to, '', { mode: 0o600, flag: 'wx' });
      return nothing;
    }
    const choice = chooseEntries(entries, options);
    const collection = createCollection(createWriter(to), entries, choice);
    const halted = await receiveFiles(call, collection, choice, signal);
    collection.finish([from, root.slice('real '.length)]);
    const leftOut = collection.leftOut.map(({ path, reason }) => ({ name: nameOf(path), reason }));
    return { leftOut, cut, halted };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { ...nothing, halted: true };
    throw error;
  } finally {
    call.close();
  }
}

const nameOf = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

const unexpected = ({ type }: Frame) => new GuestError('bad_answer', `the guest sent an unexpected frame: ${type}`);

/** Paths and targets of links are kept in memory: on average at most this many bytes of each, and then some for long ones. */
const ENTRY_BYTES = 512;
const LONG_PATHS_BYTES = 8 * 1024 * 1024;

async function readListing(
  call: GuestCall,
  maxEntries: number,
): Promise<{ root: string; entries: ListedEntry[]; cut: boolean }> {
  const first = await call.receive();
  if (first.type !== 'root') throw unexpected(first);
  const entries: ListedEntry[] = [];
  let bytes = 0;
  for (;;) {
    const frame = await call.receive();
    if (frame.type === 'listed') {
      return { root: first.payload.toString('latin1'), entries, cut: frame.payload.length > 0 };
    }
    if (frame.type !== 'entries') throw unexpected(frame);
    bytes += frame.payload.length;
    entries.push(...parseEntries(frame.payload));
    if (entries.length > maxEntries || bytes > maxEntries * ENTRY_BYTES + LONG_PATHS_BYTES)
      throw new GuestError('bad_answer', 'the guest listed more entries than the limit');
  }
}

interface Collection {
  /** The file of this row begins. */
  begin(row: number, size: number): void;
  append(bytes: Buffer): void;
  /** The file is complete. */
  end(row: number): void;
  missing(row: number): void;
  /** Deletes the file or bundle that is not complete, and every bundle after it. */
  halt(): Promise<void>;
  /** Makes the links. */
  finish(roots: readonly string[]): void;
  leftOut: Choice['leftOut'];
}

function createCollection(writer: Writer, entries: readonly ListedEntry[], choice: Choice): Collection {
  const { units, folders, links } = choice;
  const leftOut = [...choice.leftOut];
  const expected = units.flatMap((unit) => unit.files.map((row) => ({ row, unit })));
  let next = 0;
  let isOpen = false;
  for (const row of folders) {
    const entry = entries[row]!;
    if (!writer.folder(entry)) leftOut.push({ path: entry.path, reason: 'name' });
  }
  const take = (row: number): ListedEntry => {
    if (expected[next]?.row !== row) throw new GuestError('bad_answer', 'the guest sent another file');
    return entries[row]!;
  };
  const unitsFrom = (at: number): Unit[] => [...new Set(expected.slice(at).map(({ unit }) => unit))];
  return {
    leftOut,
    begin(row, size) {
      const entry = take(row);
      if (size > entry.size) throw new GuestError('bad_answer', 'the guest sent more than it listed');
      isOpen = writer.open(entry);
      if (!isOpen) leftOut.push({ path: entry.path, reason: 'name' });
    },
    append(bytes) {
      if (isOpen) writer.append(bytes);
    },
    end(row) {
      if (isOpen) writer.close(take(row));
      isOpen = false;
      next += 1;
    },
    missing(row) {
      leftOut.push({ path: take(row).path, reason: 'other' });
      next += 1;
    },
    async halt() {
      const first = expected[next]?.row;
      for (const unit of unitsFrom(next)) {
        if (unit.isBundle || unit.files[0] === first) await writer.remove(unit.path);
      }
    },
    finish(roots) {
      for (const row of links) {
        const entry = entries[row]!;
        const made = writer.link(entry, targetHere(entry, roots));
        if (!made && writer.has(entry.path.slice(0, Math.max(0, entry.path.lastIndexOf('/'))))) {
          leftOut.push({ path: entry.path, reason: 'name' });
        }
      }
      for (const row of [...folders].reverse()) if (writer.has(entries[row]!.path)) writer.date(entries[row]!);
    },
  };
}

const ROWS_PER_FRAME = 64 * 1024;

/** Returns whether the signal ended it. */
async function receiveFiles(
  call: GuestCall,
  collection: Collection,
  { units }: Choice,
  signal: AbortSignal,
): Promise<boolean> {
  const rows = units.flatMap(({ files }) => files);
  try {
    for (let at = 0; at < rows.length; at += ROWS_PER_FRAME) {
      const part = rows.slice(at, at + ROWS_PER_FRAME);
      const payload = Buffer.alloc(part.length * 4);
      for (const [n, row] of part.entries()) payload.writeUInt32BE(row, n * 4);
      await call.send('want', payload);
    }
    await call.send('send');
    for (;;) {
      const frame = await call.receive();
      if (frame.type === 'done') return false;
      if (frame.type === 'files') takeFiles(frame.payload, collection);
      else if (frame.type === 'file') await takeLarge(call, frame.payload, collection);
      else if (frame.type === 'missing' && frame.payload.length === 4) {
        collection.missing(frame.payload.readUInt32BE(0));
      } else throw unexpected(frame);
    }
  } catch (error) {
    await collection.halt();
    if (signal.aborted && error === signal.reason) return true;
    throw error;
  }
}

function takeFiles(payload: Buffer, collection: Collection): void {
  for (let at = 0; at < payload.length; ) {
    if (at + 8 > payload.length) throw new GuestError('bad_answer', 'the guest sent a truncated record');
    const [row, size] = [payload.readUInt32BE(at), payload.readUInt32BE(at + 4)];
    const content = payload.subarray(at + 8, at + 8 + size);
    if (content.length < size) throw new GuestError('bad_answer', 'the guest sent a truncated record');
    collection.begin(row, size);
    collection.append(content);
    collection.end(row);
    at += 8 + size;
  }
}

async function takeLarge(call: GuestCall, head: Buffer, collection: Collection): Promise<void> {
  if (head.length !== 12) throw new GuestError('bad_answer', 'the guest sent a truncated record');
  const row = head.readUInt32BE(0);
  const size = Number(head.readBigUInt64LE(4));
  collection.begin(row, size);
  for (let left = size; left > 0; ) {
    const frame = await call.receive();
    if (frame.type !== 'data' || frame.payload.length > left || frame.payload.length === 0) throw unexpected(frame);
    collection.append(frame.payload);
    left -= frame.payload.length;
  }
  collection.end(row);
}
