// Prevents output of a script from being taken for lines of the service, which begin with `[cidermill] `.

const TAG = '[cidermill]';
/** Inserted before the last character of the tag, so that nothing has to be held back until a tag is complete. */
const FOREIGN = Buffer.from(' (script)');

const LF = 0x0a;
const ESC = 0x1b;
/** In a set of positions: at the beginning of a line, before the tag. */
const LINE_START = 1;
const COMPLETE = TAG.length - 1;

/** For each byte, a bit set of its positions in the tag. */
const positionsOf = new Uint16Array(256);
for (const [at, letter] of [...TAG].entries()) {
  const code = letter.charCodeAt(0);
  positionsOf[code] = (positionsOf[code] ?? 0) | (1 << at);
}

export interface ServiceLineGuard {
  /** Returns the bytes with ` (script)` in every tag at the beginning of a line. May return the chunk itself. */
  write(chunk: Buffer): Buffer;
  /** A complete line of the service has been written in between. */
  newLine(): void;
}

/**
 * Turns `[cidermill] ` at the beginning of a line into `[cidermill (script)] `, however the bytes are divided. The
 * beginning of a line is what a person or a program may take for it: after LF, CR and backspace, after escape
 * sequences that move the cursor, and with color codes, control characters and zero-width characters before or inside
 * the tag.
 *
 * @example createServiceLineGuard().write(Buffer.from('[cidermill] x')).toString() // '[cidermill (script)] x'
 */
export function createServiceLineGuard(): ServiceLineGuard {
  // The possible positions of the next byte in the tag: several where it is unknown what a terminal shows.
  let mask = LINE_START;
  let sequence: 'none' | 'begun' | 'csi' | 'string' = 'none';
  let beforeString = 0;
  let character = 0;
  let missing = 0;

  const inEscape = (byte: number): void => {
    if (sequence === 'begun') {
      if (byte === 0x5b) sequence = 'csi';
      else if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) {
        // The string may never end, so its content counts as shown, too.
        sequence = 'string';
        beforeString = mask;
      } else if (byte >= 0x30) {
        sequence = 'none';
        mask |= LINE_START;
      }
    } else if (byte >= 0x40 && byte <= 0x7e) {
      sequence = 'none';
      // Everything except colors may move the cursor.
      if (byte !== 0x6d) mask |= LINE_START;
    }
  };
  const control = (byte: number): void => {
    missing = 0;
    if (byte === ESC) sequence = 'begun';
    else if (byte === LF || byte === 0x0b || byte === 0x0c || byte === 0x0d) {
      sequence = 'none';
      mask = LINE_START;
    } else if (byte === 0x08) mask |= LINE_START;
    else if (byte === 0x07 && sequence === 'string') sequence = 'none';
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
    if (character === 0x9b) sequence = 'csi';
    else if (character === 0x85 || character === 0x2028 || character === 0x2029) mask = LINE_START;
    else if (!isInvisible(character)) mask = 0;
  };

  return {
    write(chunk) {
      let pieces: Buffer[] | null = null;
      let done = 0;
      for (let at = 0; at < chunk.length; at++) {
        if (mask === 0 && sequence === 'none' && missing === 0) at = nextOfInterest(chunk, at);
        if (at >= chunk.length) break;
        const byte = chunk[at] ?? 0;
        if (byte < 0x20 || byte === 0x7f) control(byte);
        else if (sequence === 'begun' || sequence === 'csi') inEscape(byte);
        else if (byte >= 0x80) wide(byte);
        else {
          missing = 0;
          const fits = mask & (positionsOf[byte] ?? 0);
          if (fits & (1 << COMPLETE)) {
            pieces ??= [];
            pieces.push(chunk.subarray(done, at), FOREIGN);
            done = at;
          }
          mask = fits << 1;
        }
        if (sequence === 'string') mask |= beforeString;
      }
      return pieces === null ? chunk : Buffer.concat([...pieces, chunk.subarray(done)]);
    },
    newLine() {
      mask = LINE_START;
      sequence = 'none';
      missing = 0;
    },
  };
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

/** Returns whether a character has no width or only changes the direction. */
function isInvisible(character: number): boolean {
  return (
    (character >= 0x80 && character <= 0x9f) ||
    character === 0xad ||
    character === 0x34f ||
    character === 0x61c ||
    (character >= 0x180b && character <= 0x180f) ||
    (character >= 0x200b && character <= 0x200f) ||
    (character >= 0x202a && character <= 0x202e) ||
    (character >= 0x2060 && character <= 0x206f) ||
    (character >= 0xfe00 && character <= 0xfe0f) ||
    character === 0xfeff ||
    (character >= 0xe0000 && character <= 0xe0fff)
  );
}
