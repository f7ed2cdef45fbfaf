// Reads a part of a log without splitting UTF-8 characters.
import { forwardToCharacter, incompleteTail } from '../../../shared/utf8.js';
import type { LogRead } from './build-logs.js';

/** How far a cut may have to move: the longest UTF-8 character, less one byte. */
const REACH = 3;

interface Bytes {
  readonly length: number;
  /** Returns fewer bytes only at the end of the log. */
  read(offset: number, most: number): Promise<Buffer>;
}

/** See BuildLogs.read. @param log null if nothing was logged */
export async function readCharacters(
  log: Bytes | null,
  offset: number,
  maxBytes: number,
  ended: boolean,
): Promise<LogRead> {
  const length = log?.length ?? 0;
  if (!log || offset > length) return { data: Buffer.alloc(0), offset, nextOffset: offset, length };
  const before = Math.min(REACH, offset);
  const bytes = await log.read(offset - before, before + maxBytes + REACH);
  const start = before + forwardToCharacter(bytes, before);
  const whole = bytes.subarray(start, start + maxBytes);
  const atEnd = offset - before + start + whole.length >= length;
  const cut = ended && atEnd ? 0 : incompleteTail(whole);
  const data = whole.subarray(0, whole.length - cut);
  const from = offset - before + start;
  return { data, offset: from, nextOffset: from + data.length, length };
}
