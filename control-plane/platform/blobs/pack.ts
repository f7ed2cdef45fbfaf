// A pack: the small contents of one batch in one file, so that a thousand of them cost one fsync and one file name.
// It starts with an index, a line of fixed length for each slot and an end line; the contents follow in order.
// Slot numbers never change. Deleting a content marks its slot; a later compaction removes its bytes.
import { type FileHandle, open } from 'node:fs/promises';

export interface Slot {
  readonly sha256: string;
  /** Offset of the content in the file, in bytes. */
  readonly offset: number;
  readonly size: number;
  readonly live: boolean;
}

/** A content to write, or the slot of a deleted content. */
export interface PackEntry {
  readonly sha256: string;
  readonly bytes: Buffer | null;
}

const LIVE = '+';
const GONE = '-';
const SLOT = /^([+-]) ([0-9a-f]{64}) (\d{10}) (\d{7})\n$/;
const SLOT_BYTES = 86;
const END = 'end\n';
const INDEX_PIECE = 64 * 1024;

/** Returns the bytes of a pack file. Contents are limited to 9,999,999 bytes each. */
export function encodePack(entries: readonly PackEntry[]): Buffer {
  let offset = entries.length * SLOT_BYTES + END.length;
  const lines: string[] = [];
  const contents: Buffer[] = [];
  for (const { sha256, bytes } of entries) {
    const size = bytes?.length ?? 0;
    lines.push(slotLine({ sha256, offset, size, live: bytes !== null }));
    if (bytes) contents.push(bytes);
    offset += size;
  }
  return Buffer.concat([Buffer.from(lines.join('') + END), ...contents]);
}

/** Returns the slot, or null if the content was deleted or the slot has another content. */
export async function readSlot(file: FileHandle, slot: number, sha256: string): Promise<Slot | null> {
  const line = await readAt(file, slot * SLOT_BYTES, SLOT_BYTES);
  const found = parseSlot(line.toString('latin1'));
  return found?.live && found.sha256 === sha256 ? found : null;
}

/** The index of a pack is invalid: the disk is damaged, or another program modified the file. */
export class DamagedPackError extends Error {
  override name = 'DamagedPackError';
}

/** Returns all slots, including deleted ones. Throws DamagedPackError. */
export async function readIndex(file: FileHandle): Promise<Slot[]> {
  const slots: Slot[] = [];
  let text = '';
  for (let at = 0; ; at += INDEX_PIECE) {
    const piece = await readAt(file, at, INDEX_PIECE);
    text += piece.toString('latin1');
    for (; text.length >= SLOT_BYTES && !text.startsWith(END); text = text.slice(SLOT_BYTES)) {
      const slot = parseSlot(text.slice(0, SLOT_BYTES));
      if (!slot) throw new DamagedPackError('a pack with a broken index');
      slots.push(slot);
    }
    if (text.startsWith(END)) return slots;
    if (piece.length < INDEX_PIECE) throw new DamagedPackError('a pack whose index does not end');
  }
}

/** Returns all slots of a pack that is in memory. Throws DamagedPackError. */
export function slotsIn(bytes: Buffer): Slot[] {
  const slots: Slot[] = [];
  for (let at = 0; ; at += SLOT_BYTES) {
    const line = bytes.subarray(at, at + SLOT_BYTES).toString('latin1');
    if (line.startsWith(END)) return slots;
    const slot = parseSlot(line);
    if (!slot) throw new DamagedPackError('a pack with a broken index');
    slots.push(slot);
  }
}

/** Returns a content of a pack that is in memory, or null as `readSlot`. Throws DamagedPackError. */
export function contentIn(bytes: Buffer, slot: number, sha256: string): Buffer | null {
  const found = parseSlot(bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).toString('latin1'));
  if (!found?.live || found.sha256 !== sha256) return null;
  const content = bytes.subarray(found.offset, found.offset + found.size);
  if (content.length < found.size) throw new DamagedPackError('a pack is shorter than its index says');
  return content;
}

/** Marks a slot as deleted, without fsync: after a power loss the content may reappear, unreferenced. */
export async function markGone(file: FileHandle, slot: number): Promise<void> {
  await file.write(GONE, slot * SLOT_BYTES, 'latin1');
}

/** Returns `length` bytes of the file, or fewer at its end. */
export async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

/** Opens a pack for `work`, and closes it afterwards. */
export async function withPack<T>(path: string, flags: 'r' | 'r+', work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

function slotLine({ sha256, offset, size, live }: Slot): string {
  return `${live ? LIVE : GONE} ${sha256} ${String(offset).padStart(10, '0')} ${String(size).padStart(7, '0')}\n`;
}

function parseSlot(line: string): Slot | null {
  const [, state, sha256, offset, size] = SLOT.exec(line) ?? [];
  if (sha256 === undefined) return null;
  return { sha256, offset: Number(offset), size: Number(size), live: state === LIVE };
}
