// Reads `{…, "files": […], …}` piece by piece, so that neither its size nor its structure can block the process:
// JSON.parse gets a limited number of array elements at a time, and the text outside of the array only when it is
// small.
import { isAscii, isUtf8 } from 'node:buffer';
import { endTurn, type Pause } from '../../../shared/in-steps.js';
import { loneSurrogateIn } from '../../platform/domain/well-formed-text.js';

/** The text is not JSON, or not of that structure; the message completes a sentence. */
export class ManifestJsonError extends Error {}

/** A part of the text is longer than any manifest needs. */
class TooLongError extends ManifestJsonError {}

/** Elements are parsed together in pieces of about this many bytes, which takes a millisecond. */
const PIECE = 32 * 1024;
const LARGEST_ELEMENT = 64 * 1024;
const LARGEST_SURROUNDINGS = 64 * 1024;

/** How far before its bracket the key of a list is searched, in bytes. */
const KEY_REACH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/**
 * Passes the elements of `files` to `onFiles` in groups, in order, and returns the object with `files` emptied. The
 * caller ends early by throwing.
 *
 * @param options.pause called between pieces
 * @param options.largestSurroundings maximum bytes outside of `files`
 * @throws ManifestJsonError
 */
export async function readManifestJson(
  source: AsyncIterable<Buffer>,
  onFiles: (elements: unknown[]) => void,
  { largestSurroundings = LARGEST_SURROUNDINGS, pause = endTurn }: { largestSurroundings?: number; pause?: Pause } = {},
): Promise<Record<string, unknown>> {
  const parts = createParts(onFiles, largestSurroundings);
  const scan = createScanner(parts);
  let tooLong: TooLongError | null = null;
  for await (const chunk of source) {
    try {
      for (let at = 0; at < chunk.length && !tooLong; at += PIECE) {
        if (at > 0) await pause();
        scan(chunk.subarray(at, at + PIECE));
      }
    } catch (error) {
      // Continue reading: a source that is too large as a whole reports that itself.
      if (!(error instanceof TooLongError)) throw error;
      tooLong = error;
    }
  }
  if (tooLong) throw tooLong;

  const whole = parseJson(parts.surroundings());
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) {
    throw new ManifestJsonError('is not a JSON object');
  }
  const files = 'files' in whole ? whole.files : undefined;
  // Elements here mean a second, disguised list ("fil\u0065s"), which JSON takes for the same key.
  if (!parts.filesSeen() || !Array.isArray(files) || files.length > 0) {
    throw new ManifestJsonError('has no list of files');
  }
  return { ...whole };
}

/**
 * Passes the elements of `files` to `onFiles` in groups, in order, and reads no further than their end.
 *
 * @param pause called between pieces
 * @throws ManifestJsonError
 */
export async function readFilesAlone(
  source: AsyncIterable<Buffer>,
  onFiles: (elements: unknown[]) => void,
  pause: Pause = endTurn,
): Promise<void> {
  const parts = createParts(onFiles, LARGEST_SURROUNDINGS);
  const scan = createScanner(parts);
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE) {
      if (at > 0) await pause();
      scan(chunk.subarray(at, at + PIECE));
      if (parts.filesEnded()) return;
    }
  }
  throw new ManifestJsonError('has no whole list of files');
}

type Parts = ReturnType<typeof createParts>;

function createParts(onFiles: (elements: unknown[]) => void, largestSurroundings: number) {
  const surroundings: Buffer[] = [];
  let surroundingBytes = 0;
  let tail = '';
  let pieces: Buffer[] = [];
  let pending = 0;
  let filesSeen = false;
  let filesEnded = false;
  let mustFollow = false;
  return {
    outside(bytes: Buffer): void {
      surroundingBytes += bytes.length;
      if (surroundingBytes > largestSurroundings) {
        throw new TooLongError(`holds more than ${largestSurroundings} bytes outside of its files`);
      }
      surroundings.push(bytes);
      tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - KEY_REACH))).slice(-KEY_REACH);
    },
    /** Whether the bracket just passed outside opens the list of files. */
    opensFiles(): boolean {
      if (!/"files"\s*:\s*\[$/.test(tail)) return false;
      if (filesSeen) throw new ManifestJsonError('has files twice');
      filesSeen = true;
      return true;
    },
    inside(bytes: Buffer): void {
      pieces.push(bytes);
      pending += bytes.length;
      if (pending > PIECE + LARGEST_ELEMENT) throw new TooLongError('has an entry that is too long');
    },
    /** Bytes held inside the list and not passed on yet. */
    pending: (): number => pending,
    /** Parses and passes on what is pending; `more`: after a comma, so another element must follow. */
    handOn(more: boolean): void {
      const elements = parseJson(Buffer.concat(pieces), true);
      if (!Array.isArray(elements) || (mustFollow && elements.length === 0)) {
        throw new ManifestJsonError('is not valid JSON');
      }
      pieces = [];
      pending = 0;
      mustFollow = more;
      filesEnded = !more;
      onFiles(elements);
    },
    surroundings: (): Buffer => Buffer.concat(surroundings),
    filesSeen: (): boolean => filesSeen,
    filesEnded: (): boolean => filesEnded,
  };
}

/**
 * Follows strings and brackets only: whether the text is JSON is settled where its parts are parsed.
 */
function createScanner(parts: Parts): (chunk: Buffer) => void {
  const state = { depth: 0, inString: false, escaped: false, inFiles: false };
  return (chunk) => {
    // Local copies: this loop processes every byte outside of strings.
    let { depth, inString, escaped, inFiles } = state;
    const end = chunk.length;
    let start = 0;
    for (let i = 0; i < end; i++) {
      if (inString) {
        const quote = chunk.indexOf(QUOTE, i);
        const at = quote < 0 ? end : quote;
        const literal = isEscaped(chunk, i, at, escaped);
        inString = quote < 0 || literal;
        escaped = quote < 0 && literal;
        i = at;
        continue;
      }
      const byte = chunk[i];
      if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        depth++;
        if (inFiles || depth !== 2 || byte !== OPEN_BRACKET) continue;
        parts.outside(chunk.subarray(start, i + 1));
        start = i + 1;
        inFiles = parts.opensFiles();
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--;
        if (!inFiles || depth !== 1) continue;
        parts.inside(chunk.subarray(start, i));
        parts.handOn(false);
        start = i;
        inFiles = false;
      } else if (byte === COMMA && inFiles && depth === 2 && parts.pending() + i - start >= PIECE) {
        parts.inside(chunk.subarray(start, i));
        parts.handOn(true);
        start = i + 1;
      }
    }
    if (inFiles) parts.inside(chunk.subarray(start));
    else parts.outside(chunk.subarray(start));
    Object.assign(state, { depth, inString, escaped, inFiles });
  };
}

/** Whether backslashes escape the byte at `at`; `escaped` tells the same of the byte at `from`, in the same string. */
function isEscaped(chunk: Buffer, from: number, at: number, escaped: boolean): boolean {
  let first = at;
  while (first > from && chunk[first - 1] === BACKSLASH) first--;
  const before = first === from && escaped ? 1 : 0;
  return (at - first + before) % 2 === 1;
}

/** @param elements of an array, without its brackets */
function parseJson(bytes: Buffer, elements = false): unknown {
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) throw new ManifestJsonError('is not UTF-8');
  const text = bytes.toString(ascii ? 'latin1' : 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(elements ? `[${text}]` : text);
  } catch {
    // The engine's message would quote the text.
    throw new ManifestJsonError('is not valid JSON');
  }
  if (loneSurrogateIn(text) === -1) return value;
  throw new ManifestJsonError('has half of a surrogate pair, which is not valid text');
}
