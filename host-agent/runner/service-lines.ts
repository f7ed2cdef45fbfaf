// Prevents output of a script from being taken for lines of the service, which begin with `[cidermill] `.
import { isAscii } from 'node:buffer';
import { isInvisible } from '../../shared/clean-text.js';

const TAG = '[cidermill]';
/** Inserted before the last character of the tag, so that nothing has to be held back until a tag is complete. */
const FOREIGN = Buffer.from(' (script)');

const BEL = 0x07;
const LF = 0x0a;
const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;
/** After ESC, these bytes start a string that the terminal does not show and that may be unterminated. */
const STRINGS = Buffer.from(']PX^_');
/** In a set of positions: at the beginning of a line, before the tag. */
const LINE_START = 1;
const COMPLETE = TAG.length - 1;

/** Returns whether it is LF, VT, FF or CR. */
const isLineEnd = (byte: number) => byte >= 0x0a && byte <= 0x0d;

const LAST = TAG.charCodeAt(COMPLETE);
const BEFORE_LAST = TAG.charCodeAt(COMPLETE - 1);

/** For each byte, a bit set of its positions in the tag. */
const positionsOf = new Uint16Array(256);
for (const [at, letter] of [...TAG].entries()) {
  const code = letter.charCodeAt(0);
  positionsOf[code] = (positionsOf[code] ?? 0) | (1 << at);
}

/**
 * Turns `[cidermill] ` at the beginning of a line into `[cidermill (script)] `, however the bytes are divided. The
 * beginning of a line is what a person or a program may take for it: after LF, CR and backspace, after escape
 * sequences that move the cursor, and with color codes, control characters and invisible characters (zero width,
 * private, unassigned) before or inside the tag.
 *
 * @example createServiceLineGuard().write(Buffer.from('[cidermill] x')).toString() // '[cidermill (script)] x'
 */
export function createServiceLineGuard() {
  // The possible positions of the next byte in the tag: several where it is unknown what a terminal shows.
  let mask = LINE_START;
  let sequence: 'none' | 'begun' | 'csi' | 'string' = 'none';
  /**
   * The mask before an escape sequence. Terminals and other programs parse sequences differently, so its bytes count both as
   * shown and as hidden.
   */
  let before = 0;
  /** The sequence is inside a string, which for some programs goes on after it. */
  let nested = false;
  let character = 0;
  let missing = 0;

  const inString = () => sequence === 'string' || nested;
  const begin = (how: 'begun' | 'csi'): void => {
    nested = how === 'csi' && inString();
    sequence = how;
    before = mask;
  };
  const inEscape = (byte: number): void => {
    if (sequence === 'begun' && byte === 0x5b) sequence = 'csi';
    else if (sequence === 'begun' && STRINGS.includes(byte)) sequence = 'string';
    else if (byte >= (sequence === 'csi' ? 0x40 : 0x30)) {
      // Everything except colors may move the cursor.
      mask |= sequence === 'csi' && byte === 0x6d ? before : before | LINE_START;
      sequence = nested ? 'string' : 'none';
      nested = false;
    }
  };
  const control = (byte: number): void => {
    missing = 0;
    if (byte === ESC) begin('begun');
    else if (isLineEnd(byte)) {
      mask = LINE_START;
      before = LINE_START;
    } else if (byte === 0x08) {
      mask |= LINE_START;
      before |= LINE_START;
    } else if (byte === CAN || byte === SUB || (byte === BEL && inString())) {
      // CAN ends a string for terminals, but not for other programs.
      sequence = byte !== BEL && inString() ? 'string' : 'none';
      nested = false;
    }
  };
  const wide = (byte: number): void => {
    if (byte >= 0xc0) {
      missing = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
      character = byte & (0x3f >> missing);
      return;
    }
    character = (character << 6) | (byte & 0x3f);
    missing -= 1;
    if (missing > 0) return;
    // Some programs ignore invalid bytes.
    const broken = missing < 0;
    missing = 0;
    if (broken) return;
    if (character === 0x9b) begin('csi');
    else if (character === 0x85 || character === 0x2028 || character === 0x2029) mask |= LINE_START;
    else if (mask !== 0 && !isInvisible(character)) mask = 0;
  };

  return {
    /** Returns the bytes with ` (script)` in every tag at the beginning of a line. May return the chunk itself. */
    write(chunk: Buffer) {
      let pieces: Buffer[] | null = null;
      let done = 0;
      const isHarmless = sequence === 'none' && missing === 0 && completesNoTag(chunk);
      // A line feed resets everything that the bytes before it may have set.
      for (let at = isHarmless ? Math.max(0, chunk.lastIndexOf(LF)) : 0; at < chunk.length; at++) {
        if (mask === 0 && sequence === 'none' && missing === 0) at = nextOfInterest(chunk, at);
        if (at >= chunk.length) break;
        const byte = chunk[at] ?? 0;
        if (byte < 0x20 || byte === 0x7f) control(byte);
        else if (byte >= 0x80) {
          // Some programs end the sequence here, others do not.
          if (sequence === 'begun' || sequence === 'csi') sequence = 'string';
          wide(byte);
        } else {
          missing = 0;
          const fits = mask & (positionsOf[byte] ?? 0);
          if (fits & (1 << COMPLETE)) {
            pieces ??= [];
            pieces.push(chunk.subarray(done, at), FOREIGN);
            done = at;
          }
          mask = fits << 1;
          if (sequence === 'begun' || sequence === 'csi') inEscape(byte);
        }
        if (sequence !== 'none') mask |= before;
      }
      return pieces === null ? chunk : Buffer.concat([...pieces, chunk.subarray(done)]);
    },
    /** A complete line of the service has been written in between. */
    newLine() {
      mask = LINE_START;
      sequence = 'none';
      nested = false;
      missing = 0;
    },
  };
}

/**
 * Returns whether a chunk is plain text in which no tag can end: each `]` follows a character that is shown and is not the
 * last letter of the tag. Native searches find that out in a twentieth of the time that the bytes take one by one (ADR 33).
 */
function completesNoTag(chunk: Buffer): boolean {
  if (!isAscii(chunk) || chunk.includes(ESC)) return false;
  for (let at = chunk.indexOf(LAST); at >= 0; at = chunk.indexOf(LAST, at + 1)) {
    const before = chunk[at - 1] ?? 0;
    if (before < 0x20 || before === 0x7f || before === BEFORE_LAST) return false;
  }
  return true;
}

/**
 * Returns the position of the next byte that can begin a line or move the cursor: a control or multi-byte character.
 */
function nextOfInterest(chunk: Buffer, from: number): number {
  let at = from;
  for (; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (byte < 0x20 || byte >= 0xc2) break;
  }
  return at;
}
