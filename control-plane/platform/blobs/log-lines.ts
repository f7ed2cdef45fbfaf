// Lines of a log, taken from its bytes as they are read. However long a line is, only its first part is held.

const LF = 0x0a;
const CR = 0x0d;

export interface LogLine {
  /** Counted from 1 in the whole log. */
  readonly number: number;
  /** Without the line feed and a carriage return before it. */
  readonly bytes: Buffer;
  /** The line is longer than `bytes`. */
  readonly cut: boolean;
  /** False: no line feed has come yet. */
  readonly ended: boolean;
}

export interface LinePage {
  /** Number of the line with which the bytes begin. */
  readonly first: number;
  readonly count: number;
  /** Of one line. */
  readonly lineBytes: number;
  /** Of all lines together: no line is added once this is reached. */
  readonly pageBytes: number;
}

/** The first lines of what `pieces` hold; reads no further than that. */
export async function readLines(pieces: AsyncIterable<Buffer>, page: LinePage): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  let parts: Buffer[] = [];
  let kept = 0;
  let seen = 0;
  let total = 0;

  const keep = (part: Buffer) => {
    seen += part.length;
    const some = part.subarray(0, page.lineBytes + 1 - kept);
    if (some.length === 0) return;
    // A view would hold the whole piece for the sake of one line.
    parts.push(Buffer.from(some));
    kept += some.length;
  };
  const add = (ended: boolean) => {
    const all = Buffer.concat(parts);
    const whole = ended && seen === kept && all.at(-1) === CR ? all.subarray(0, -1) : all;
    const bytes = whole.subarray(0, page.lineBytes);
    lines.push({
      number: page.first + lines.length,
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
        // Where a long line ends does not matter when nothing behind it is wanted.
        if (seen <= kept || !isLast()) break;
        add(false);
        return lines;
      }
      add(true);
      if (isFull()) return lines;
      at = feed + 1;
    }
  }
  if (seen > 0) add(false);
  return lines;
}
