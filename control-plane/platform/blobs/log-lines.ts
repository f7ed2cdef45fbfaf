// Splits a stream of log bytes into lines. Only the first part of a long line is kept in memory.

const LF = 0x0a;
const CR = 0x0d;

export interface LogLine {
  /** Line number in the whole log, starting at 1. */
  readonly number: number;
  /** Offset of its first byte in the bytes that are read. */
  readonly start: number;
  /** Without the trailing LF or CR LF. */
  readonly bytes: Buffer;
  /** True: the line is longer than `bytes`. */
  readonly cut: boolean;
  /** False: no line feed received yet. */
  readonly ended: boolean;
}

export interface LinePage {
  /** Number of the first line in the bytes. */
  readonly first: number;
  readonly count: number;
  /** Maximum bytes of one line. */
  readonly lineBytes: number;
  /** Limit for the bytes of all lines: no line is added once it is reached. */
  readonly pageBytes: number;
}

/** Returns the first lines of `pieces`, and reads no further than necessary. */
export async function readLines(pieces: AsyncIterable<Buffer>, page: LinePage): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let parts: Buffer[] = [];
  let kept = 0;
  let seen = 0;
  let total = 0;
  /** Offset of the unfinished line. */
  let start = 0;

  const keep = (part: Buffer) => {
    seen += part.length;
    const some = part.subarray(0, page.lineBytes + 1 - kept);
    if (some.length === 0) return;
    // A copy, because a view of one line would keep the whole piece in memory.
    parts.push(Buffer.from(some));
    kept += some.length;
  };
  const add = (ended: boolean) => {
    const all = Buffer.concat(parts);
    const whole = ended && seen === kept && all.at(-1) === CR ? all.subarray(0, -1) : all;
    const bytes = whole.subarray(0, page.lineBytes);
    lines.push({
      number: page.first + lines.length,
      start,
      bytes,
      cut: seen > kept || whole.length > bytes.length,
      ended,
    });
    total += bytes.length;
    parts = [];
    kept = 0;
    seen = 0;
  };
  const isFull = () => lines.length >= page.count || total >= page.pageBytes;

  const isLast = () => lines.length + 1 >= page.count || total + kept >= page.pageBytes;

  if (isFull()) return lines;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const feed = piece.indexOf(LF, at);
      keep(piece.subarray(at, feed < 0 ? piece.length : feed));
      if (feed < 0) {
        // If the last line of the page is already cut, its end is not needed.
        if (seen <= kept || !isLast()) break;
        add(false);
        return lines;
      }
      const next = start + seen + 1;
      add(true);
      start = next;
      if (isFull()) return lines;
      at = feed + 1;
    }
  }
  if (seen > 0) add(false);
  return lines;
}
