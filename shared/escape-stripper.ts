// Removes terminal escape sequences from text, and from a stream of bytes, however it is cut into pieces.

// A string that is not ended ends with its line.
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const ESC = 0x1b;
/** What may still become a sequence when more comes. An end of a string may be two characters of its own. */
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\r\n]*\x1b?)?$/;
/** What has not become a sequence after so many bytes is text. */
const LONGEST = 4096;

/** Removes terminal escape sequences, and nothing else. */
export const withoutEscapes = (text: string): string => text.replace(ESCAPE_SEQUENCE, '');

export interface EscapeStripper {
  /** What can be said of the stream by now. */
  write(bytes: Buffer): Buffer;
  end(): Buffer;
}

/** @example createEscapeStripper().write(Buffer.from('\x1b[31mred\x1b[0m')) // 'red' */
export function createEscapeStripper(): EscapeStripper {
  let held: Buffer = Buffer.alloc(0);

  const stripped = (bytes: Buffer) => Buffer.from(withoutEscapes(bytes.toString('latin1')), 'latin1');

  return {
    write(bytes) {
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
