// Removes terminal escape sequences from text, and from a stream of bytes, however it is divided.

// An unterminated string ends with its line.
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const ESC = 0x1b;
/** What may become a sequence when more bytes arrive. The terminator of a string may be two characters. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\r\n]*\x1b?)?$/;
/** After this many bytes an incomplete sequence is text. */
const LONGEST = 4096;

/** Returns the text without terminal escape sequences. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPE_SEQUENCE, '');

/** @example createEscapeStripper().write(Buffer.from('\x1b[31mred\x1b[0m')) // 'red' */
export function createEscapeStripper() {
  let held: Buffer = Buffer.alloc(0);

  const stripped = (bytes: Buffer) => Buffer.from(withoutEscapes(bytes.toString('latin1')), 'latin1');

  return {
    /** Returns the output that is final so far. */
    write(bytes: Buffer) {
      if (held.length === 0 && !bytes.includes(ESC)) return bytes;
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const tailStart = Math.max(0, all.length - LONGEST);
      const tail = all.toString('latin1', tailStart);
      const unfinished = UNFINISHED.exec(tail);
      const end = unfinished ? tailStart + unfinished.index : all.length;
      held = Buffer.from(all.subarray(end));
      return stripped(all.subarray(0, end));
    },
    end() {
      const last = stripped(held);
      held = Buffer.alloc(0);
      return last;
    },
  };
}
