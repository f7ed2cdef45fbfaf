// Frames between this host and a program in a guest: `TYPE LENGTH\n` and LENGTH bytes, in both directions.
import { GuestError } from './transport.js';

/** Maximum payload of a frame. */
export const FRAME_BYTES = 1024 * 1024;

export interface Frame {
  /** A lower-case word. */
  readonly type: string;
  readonly payload: Buffer;
}

/** What may come before the first frame: it is searched again with every piece that comes. */
const NOISE_BYTES = 64 * 1024;

const HEAD = /^([a-z]{1,16}) (\d{1,7})$/;
const LONGEST_HEAD = 16 + 1 + 7 + 1;

/** @example encodeFrame('file', 'a.txt') // 'file 5\na.txt' */
export function encodeFrame(type: string, payload: Buffer | string = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  if (bytes.length > FRAME_BYTES) throw new RangeError(`a frame of ${bytes.length} bytes is too long`);
  const head = `${type} ${bytes.length}\n`;
  const frame = Buffer.allocUnsafe(head.length + bytes.length);
  frame.write(head, 'latin1');
  bytes.copy(frame, head.length);
  return frame;
}

/** @param start a line that precedes the first frame; what comes before it (output of a login shell) is skipped */
export function createFrameParser(start: string | null) {
  const opening = start === null ? null : Buffer.from(`\n${start}\n`);
  let started = opening === null;
  let held: Buffer[] = [];
  let length = 0;
  let head: { type: string; size: number } | null = null;

  const join = (): Buffer => {
    if (held.length !== 1) held = [Buffer.concat(held, length)];
    return held[0]!;
  };
  const keep = (rest: Buffer) => {
    held = rest.length > 0 ? [rest] : [];
    length = rest.length;
  };
  const skipToStart = (line: Buffer): boolean => {
    const bytes = join();
    const at = bytes.indexOf(line);
    if (at >= 0) {
      keep(bytes.subarray(at + line.length));
      started = true;
    } else if (length > NOISE_BYTES) throw new GuestError('bad_answer', 'the program in the guest did not start');
    return started;
  };
  const readHead = (): typeof head => {
    const bytes = join();
    const at = bytes.subarray(0, LONGEST_HEAD).indexOf(0x0a);
    if (at < 0 && length < LONGEST_HEAD) return null;
    const [, type = '', digits = ''] = HEAD.exec(bytes.toString('latin1', 0, Math.max(0, at))) ?? [];
    const size = Number(digits);
    if (type === '' || size > FRAME_BYTES) throw new GuestError('bad_answer', 'the guest sent no valid frame');
    keep(bytes.subarray(at + 1));
    return { type, size };
  };

  return {
    push(chunk: Buffer) {
      held.push(chunk);
      length += chunk.length;
    },
    /** Returns the next complete frame, or null. Throws GuestError (`bad_answer`) for anything else. */
    next() {
      if (opening !== null && !started && !skipToStart(opening)) return null;
      head ??= length > 0 ? readHead() : null;
      if (head === null || length < head.size) return null;
      const { type, size } = head;
      const bytes = size === 0 ? Buffer.alloc(0) : join();
      head = null;
      if (size > 0) keep(bytes.subarray(size));
      return { type, payload: bytes.subarray(0, size) };
    },
  };
}
