// The time at which a line arrived, before each line of a log as text.
import type { BuildLogs } from '../logs/build-logs.js';

const LF = 0x0a;
/** As wide as a time. */
const UNKNOWN = Buffer.from(`${'-'.padEnd(24)} `);

/**
 * Puts the time of arrival before each line, or `-` and spaces if it is not known.
 *
 * @param start where the bytes begin in the log: at a line
 * @example withTimestamps(logs, 'rb_1', 0, chunks) // 2026-01-01T00:00:00.000Z first line
 */
export async function* withTimestamps(
  logs: BuildLogs,
  buildId: string,
  start: number,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  let offset = start;
  let atLineStart = true;
  for await (const chunk of chunks) {
    const originOf = await logs.origins(buildId, offset, offset + chunk.length);
    const prefixOf = prefixes();
    const parts: Buffer[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (atLineStart) parts.push(prefixOf(originOf(offset + at).at));
      const feed = chunk.indexOf(LF, at);
      const end = feed < 0 ? chunk.length : feed + 1;
      parts.push(chunk.subarray(at, end));
      atLineStart = feed >= 0;
      at = end;
    }
    offset += chunk.length;
    yield Buffer.concat(parts);
  }
}

/** Many lines in a row have the same time. */
function prefixes(): (at: number | null) => Buffer {
  let last: { at: number; bytes: Buffer } | null = null;
  return (at) => {
    if (at === null) return UNKNOWN;
    if (last?.at !== at) last = { at, bytes: Buffer.from(`${new Date(at).toISOString()} `) };
    return last.bytes;
  };
}
