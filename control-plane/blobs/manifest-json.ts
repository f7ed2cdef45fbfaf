// Reads `{…, "files": […], …}` piece by piece, so that neither its size nor its shape can hold up the process:
// JSON.parse sees a limited number of array elements at a time, and what lies outside of the array only when
// it is small.
import { isUtf8 } from 'node:buffer';

/** The text is not JSON, or not of that form; the message is a sentence's end. */
export class ManifestJsonError extends Error {}

/** Elements are parsed together in pieces of about this many bytes. */
const PIECE = 128 * 1024;
const LARGEST_ELEMENT = 64 * 1024;
const LARGEST_SURROUNDINGS = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = { brace: 0x7b, bracket: 0x5b };
const CLOSE = { brace: 0x7d, bracket: 0x5d };

/**
 * Hands the elements of `files` to `onFiles` in groups, in order, and returns the object with `files` emptied.
 * The caller must end early by throwing when it has seen enough.
 *
 * @throws ManifestJsonError
 */
export async function readManifestJson(
  source: AsyncIterable<Buffer>,
  onFiles: (elements: unknown[]) => void,
): Promise<Record<string, unknown>> {
  let surroundings: Buffer = Buffer.alloc(0);
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inFiles = false;
  let filesSeen = false;
  let afterComma = false;

  const keepOutside = (bytes: Buffer) => {
    if (surroundings.length + bytes.length > LARGEST_SURROUNDINGS) {
      throw new ManifestJsonError(`holds more than ${LARGEST_SURROUNDINGS} bytes beside its files`);
    }
    surroundings = Buffer.concat([surroundings, bytes]);
  };
  const keepInside = (bytes: Buffer) => {
    pending.push(bytes);
    pendingBytes += bytes.length;
    if (pendingBytes > PIECE + LARGEST_ELEMENT) throw new ManifestJsonError('has an entry that is too long');
  };
  const hand = () => {
    const elements = parseJson(Buffer.concat([Buffer.from('['), ...pending, Buffer.from(']')])) as unknown[];
    if (afterComma && elements.length === 0) throw new ManifestJsonError('is not valid JSON');
    pending = [];
    pendingBytes = 0;
    onFiles(elements);
  };

  for await (const chunk of source) {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const c = chunk[i];
      if (inString) {
        if (escaped) escaped = false;
        else if (c === BACKSLASH) escaped = true;
        else if (c === QUOTE) inString = false;
      } else if (c === QUOTE) {
        inString = true;
      } else if (c === OPEN.brace || c === OPEN.bracket) {
        depth++;
        if (inFiles || depth !== 2 || c !== OPEN.bracket) continue;
        keepOutside(chunk.subarray(start, i + 1));
        start = i + 1;
        inFiles = /"files"\s*:\s*\[$/.test(surroundings.toString('latin1'));
        if (inFiles && filesSeen) throw new ManifestJsonError('has files twice');
        filesSeen ||= inFiles;
      } else if (c === CLOSE.brace || c === CLOSE.bracket) {
        depth--;
        if (!inFiles || depth !== 1) continue;
        keepInside(chunk.subarray(start, i));
        start = i;
        hand();
        inFiles = false;
      } else if (c === COMMA && inFiles && depth === 2 && pendingBytes + i - start >= PIECE) {
        keepInside(chunk.subarray(start, i));
        start = i + 1;
        hand();
        afterComma = true;
      }
    }
    if (inFiles) keepInside(chunk.subarray(start));
    else keepOutside(chunk.subarray(start));
  }

  const whole = parseJson(surroundings);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) {
    throw new ManifestJsonError('is not a JSON object');
  }
  const files = 'files' in whole ? whole.files : undefined;
  // Elements here mean a second `files` in disguise ("fil\u0065s"), which JSON takes for the same key.
  if (!filesSeen || !Array.isArray(files) || files.length > 0)
    throw new ManifestJsonError('has no list of files');
  return { ...whole };
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ManifestJsonError('is not UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // V8's message quotes the text; the caller knows what was sent.
    throw new ManifestJsonError('is not valid JSON');
  }
}
