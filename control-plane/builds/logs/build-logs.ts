// The port behind which build logs lie: masked bytes, appended at offsets, read by offset or by line.
//
// A line ends with LF (a CR before it belongs to the line); what follows the last LF, if anything, is a line
// too. Lines are counted from 1. Appending does not wait for the disk: until `finish` the sender keeps its copy,
// and after a power loss `length` says where to go on.

export interface LogRead {
  data: Buffer;
  /** Where `data` begins: the offset asked for, or the next character when that lay inside one. */
  offset: number;
  /** Where to read on. */
  nextOffset: number;
  /** Bytes of the whole log at the moment of reading. */
  length: number;
}

export interface LogSize {
  length: number;
  lines: number;
}

/** The part of a log that one sender vouches for. */
export interface LogPart {
  /** Offset of its first byte in the log. */
  from: number;
  length: number;
  sha256: string;
}

/** A part of a log that begins with a line. */
export interface LogRange {
  start: number;
  end: number;
  /** Number of the line with which it begins, from 1. */
  firstLine: number;
}

export interface BuildLogs {
  /**
   * Appends what lies beyond the log's end. Bytes before it are taken as repeats and passed over; a gap is not
   * filled. Either way the answer's length is the offset that is wanted next. The bytes must not be changed
   * afterwards: whoever follows the log gets them from memory.
   */
  append(buildId: string, offset: number, bytes: Buffer): Promise<{ length: number }>;
  /** Appends a line of the service's own, beginning a new line first when need be. */
  appendLine(buildId: string, line: string): Promise<{ length: number }>;
  /**
   * Says whether the part is stored whole and unaltered, and then makes it durable. When it is not, the log is
   * cut back to the first byte that has to be sent again, and `wanted` names it.
   */
  finish(buildId: string, part: LogPart): Promise<{ complete: true } | { complete: false; wanted: number }>;
  /** Zero and zero when nothing was logged. */
  size(buildId: string): Promise<LogSize>;
  /**
   * At most `maxBytes`, never cutting a character of UTF-8. A character that is still incomplete at the log's
   * end is held back until more comes, or given as it is when the log has `ended`.
   *
   * @throws ApiError `invalid_offset` beyond the log's end
   */
  read(buildId: string, offset: number, maxBytes: number, ended: boolean): Promise<LogRead>;
  /** Offsets of lines `first` to `last`, both included and cut to what is there. */
  lineRange(buildId: string, first: number, last: number): Promise<{ start: number; end: number }>;
  /**
   * Where a line begins, and how long the log is at the same moment. The log's end when it has no such line.
   *
   * @example for await (const piece of logs.stream(id, { start: from.offset, end: from.length })) …
   */
  lineStart(buildId: string, line: number): Promise<LogSize & { offset: number }>;
  /** Offset at which the last `lines` lines begin. */
  tailOffset(buildId: string, lines: number): Promise<number>;
  /**
   * The parts of the log that may hold a text in any case, in order: no line outside them has it. They reach to the
   * log's end at the moment of the call. A text of fewer than three bytes may stand anywhere.
   *
   * @example for (const range of await logs.rangesWith(id, 'error:')) for await (const piece of logs.stream(id, range)) …
   */
  rangesWith(buildId: string, text: string): Promise<LogRange[]>;
  /** The log's bytes, as far as it goes at the moment of the call. */
  stream(buildId: string, range?: { start?: number; end?: number }): AsyncIterable<Buffer>;
  remove(buildId: string): Promise<void>;
  /** Waits for what is under way and closes every file. */
  close(): Promise<void>;
}
