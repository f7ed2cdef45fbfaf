// What versions until November 2026 noted beside a log in a file for each purpose. Of them, {path}.service and {path}.times say
// what the log itself does not.
import type { FileHandle } from 'node:fs/promises';
import { readFile, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { nullIfMissing } from '../../platform/blobs/file-system.js';
import { piecesOf } from './file-bytes.js';
import { type LogMark, STILL_UNKNOWN, UNKNOWN } from './index-entries.js';

const LF = 0x0a;
const SERVICE_ENTRY = 18;
const TIME_RECORD = 16;

/** Names of the files, by what follows the name of the log. */
export const OLD_FILES = ['lines', 'service', 'times', 'search'] as const;

/** Returns the times and the lines of the service, in the order of their offsets. @param path without the extension */
export async function readOldMarks(path: string, log: FileHandle): Promise<LogMark[]> {
  const read = async (kind: string) => (await readFile(`${path}.${kind}`).catch(nullIfMissing)) ?? Buffer.alloc(0);
  const times = decodeTimes(await read('times'));
  const lines = await placed(decodeService(await read('service')), log);
  const marks: LogMark[] = [];
  let at = UNKNOWN;
  let ownTo = 0;
  for (const found of [...times, ...lines].sort((a, b) => a.offset - b.offset)) {
    const { offset } = found;
    if ('at' in found) at = found.at;
    else ownTo = found.end;
    if (marks.at(-1)?.offset === offset) marks.pop();
    marks.push({ offset, at, own: Math.max(0, ownTo - offset) });
  }
  return marks;
}

export async function removeOldFiles(path: string): Promise<void> {
  for (const kind of OLD_FILES) await rm(`${path}.${kind}`, { force: true });
}

interface ServiceLines {
  readonly first: number;
  readonly last: number;
  readonly end: number;
}

/** Returns entries up to the first one out of order: first line, last line, and the offset at which it ends. */
function decodeService(bytes: Buffer): ServiceLines[] {
  const entries: ServiceLines[] = [];
  for (let at = 0; at + SERVICE_ENTRY <= bytes.length; at += SERVICE_ENTRY) {
    const [first, last, end] = [0, 6, 12].map((place) => bytes.readUIntBE(at + place, 6)) as [number, number, number];
    const before = entries.at(-1) ?? { last: 1, end: 0 };
    if (first < before.last || last < first || end <= before.end) break;
    entries.push({ first, last, end });
  }
  return entries;
}

/** Returns where the lines begin: a line that was written in parts, after the part before. */
async function placed(entries: readonly ServiceLines[], log: FileHandle) {
  const found: { offset: number; end: number }[] = [];
  let line = 1;
  let lineStart = 0;
  let offset = 0;
  const place = () => {
    for (let entry = entries[found.length]; entry?.first === line; entry = entries[found.length])
      found.push({ offset: Math.max(lineStart, found.at(-1)?.end ?? 0), end: entry.end });
  };
  place();
  for await (const piece of piecesOf(log, 0, (await log.stat()).size)) {
    for (let feed = piece.indexOf(LF); feed >= 0; feed = piece.indexOf(LF, feed + 1)) {
      line++;
      lineStart = offset + feed + 1;
      place();
    }
    offset += piece.length;
  }
  return found;
}

/** Returns times from an offset on; in the place of damaged records one from which on they are unknown. */
function decodeTimes(bytes: Buffer): { offset: number; at: number }[] {
  const records: { offset: number; at: number }[] = [];
  for (let from = 0; from + TIME_RECORD <= bytes.length; from += TIME_RECORD) {
    const isSound = crc32(bytes.subarray(from, from + 12)) === bytes.readUInt32BE(from + 12);
    const offset = bytes.readUIntBE(from, 6);
    const before = records.at(-1);
    if (isSound && offset > (before?.offset ?? -1))
      records.push({ offset, at: bytes.readUIntBE(from + 6, 6) || STILL_UNKNOWN });
    else if (before && before.at !== STILL_UNKNOWN) records.push({ offset: before.offset + 1, at: STILL_UNKNOWN });
  }
  return records;
}
