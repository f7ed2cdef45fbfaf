// Recognizes terminal escape sequences (ECMA-48, 7-bit form) byte by byte, however the stream is divided.

/** The byte is text. */
export const TEXT = 0;
/** The byte belongs to an escape sequence. */
export const SEQUENCE = 1;
/** Flag: the preceding bytes, taken for a sequence so far, are text. */
export const BROKEN = 2;

/** Maximum bytes of a sequence; a longer one is text. */
export const LONGEST_SEQUENCE = 4096;

export interface EscapeParser {
  /** Returns TEXT or SEQUENCE for the next byte, with BROKEN when a supposed sequence turned out to be text. */
  step(byte: number): number;
  /** Returns true between the ESC of a sequence and its last byte. */
  inside(): boolean;
}

const LONGEST_MEASURED = 256;
const ESC = 0x1b;
const GROUND = 0;
const AFTER_ESC = 1;
const AFTER_INTERMEDIATE = 2;
const CONTROL = 3;
const STRING = 4;

/**
 * Recognizes control sequences (CSI, such as colors), strings (OSC, DCS, SOS, PM, APC; ended by BEL or ST) and two-
 * and three-byte sequences. As in a terminal, an ESC inside a sequence ends it and starts the next one, and CAN and
 * SUB end it. A line break inside a string, an invalid byte, or more than LONGEST_SEQUENCE bytes make it text.
 */
export function createEscapeParser(): EscapeParser {
  let state = GROUND;
  let length = 0;

  const begin = (): number => {
    state = AFTER_ESC;
    length = 1;
    return SEQUENCE;
  };

  return {
    inside: () => state !== GROUND,
    step(byte) {
      if (byte === ESC) return begin();
      if (state === GROUND) return TEXT;
      length += 1;
      state = length > LONGEST_SEQUENCE ? -1 : follow(state, byte);
      if (state !== -1) return SEQUENCE;
      state = GROUND;
      return TEXT | BROKEN;
    },
  };
}

/**
 * Returns the length of the sequence that begins at an ESC; 0 when it is incomplete before `end`, broken, ended by
 * another ESC, or unusually long.
 */
export function measureSequence(bytes: Uint8Array, at: number, end: number): number {
  const stop = Math.min(end, at + LONGEST_MEASURED);
  let state = AFTER_ESC;
  for (let next = at + 1; next < stop; next++) {
    const byte = bytes[next]!;
    if (byte === ESC) return 0;
    state = follow(state, byte);
    if (state === GROUND) return next + 1 - at;
    if (state === -1) return 0;
  }
  return 0;
}

/** Returns the state after a byte inside a sequence: GROUND when the byte ends it, -1 when the byte is invalid. */
function follow(state: number, byte: number): number {
  if (byte === 0x18 || byte === 0x1a) return GROUND;
  if (state === STRING) {
    if (byte === 0x07) return GROUND;
    return byte === 0x0a || byte === 0x0d ? -1 : STRING;
  }
  if (byte < 0x20 || byte > 0x7e) return -1;
  if (state === CONTROL) return byte >= 0x40 ? GROUND : CONTROL;
  if (byte < 0x30) return AFTER_INTERMEDIATE;
  if (state === AFTER_INTERMEDIATE) return GROUND;
  if (byte === 0x5b) return CONTROL;
  return isStringIntroducer(byte) ? STRING : GROUND;
}

/** P (DCS), X (SOS), ] (OSC), ^ (PM) and _ (APC). */
function isStringIntroducer(byte: number): boolean {
  return byte === 0x50 || byte === 0x58 || byte === 0x5d || byte === 0x5e || byte === 0x5f;
}

/** Returns the bytes without complete escape sequences. */
export function stripEscapes(bytes: Uint8Array): Uint8Array {
  const parser = createEscapeParser();
  const kept: number[] = [];
  let pending: number[] = [];
  for (const byte of bytes) {
    const verdict = parser.step(byte);
    if (verdict & BROKEN) kept.push(...pending);
    if (verdict & SEQUENCE) {
      pending = byte === ESC ? [byte] : [...pending, byte];
    } else {
      kept.push(byte);
    }
    if (!parser.inside()) pending = [];
  }
  return Uint8Array.from([...kept, ...pending]);
}
