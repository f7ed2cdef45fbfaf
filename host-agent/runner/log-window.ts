// Keeps the head and the tail of a log and counts the bytes between them: errors are mostly at the end.
import { countOf } from '../../shared/count.js';
import { characterBoundary, incompleteTail } from '../../shared/utf8.js';
import { createServiceLineGuard } from './service-lines.js';

const LF = 0x0a;

export interface LogWindow {
  write(chunk: Buffer): void;
  /** Writes a line of the service, after a line break if the current line is unfinished. */
  writeOwn(line: string): void;
  /** Writes the kept tail after a line with the number of omitted bytes. Call once. */
  end(): { omittedBytes: number };
}

/**
 * Emits everything up to `headBytes`; after that only the last `tailBytes` are kept. If the log fits into both,
 * nothing is omitted and there is no marker. Cuts never split a UTF-8 character, and the tail begins with a line
 * unless it is one line. The result does not depend on how the log is divided into chunks.
 *
 * @param emit gets memory that is only valid during the call
 * @param marked gets the byte ranges of the service's lines in the emitted bytes, in order
 */
export function createLogWindow(
  options: { headBytes: number; tailBytes: number },
  emit: (bytes: Buffer) => void,
  marked: (from: number, to: number) => void = () => {},
): LogWindow {
  const { headBytes, tailBytes } = options;
  let head = 0;
  let headOpen = true;
  let lastHeadByte = LF;
  // A character that starts in one chunk may not fit into the head.
  let pending = Buffer.alloc(0);
  const after = createTail(tailBytes);
  let atLineStart = true;
  /** Ranges of the service's lines after the head, as offsets from its end. */
  let laterOwn: { from: number; to: number }[] = [];

  const emitHead = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    emit(bytes);
    head += bytes.length;
    lastHeadByte = bytes[bytes.length - 1] ?? LF;
  };
  /** @param start offset of the bytes after the head in the emitted bytes @param omitted how many of them are omitted */
  const markLater = (start: number, omitted = 0) => {
    for (const { from, to } of laterOwn)
      if (omitted === 0 || from >= omitted) marked(start + from, start + to);
  };
  const write = (chunk: Buffer) => {
    if (chunk.length > 0) atLineStart = chunk[chunk.length - 1] === LF;
    if (!headOpen) return after.add(chunk);
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
    pending = Buffer.alloc(0);
    const room = headBytes - head;
    if (bytes.length > room) {
      const cut = characterBoundary(bytes, room);
      emitHead(bytes.subarray(0, cut));
      headOpen = false;
      return after.add(bytes.subarray(cut));
    }
    const started = incompleteTail(bytes);
    const mayNotFit = bytes.length + 3 > room;
    emitHead(mayNotFit ? bytes.subarray(0, bytes.length - started) : bytes);
    if (mayNotFit && started > 0) pending = Buffer.from(bytes.subarray(bytes.length - started));
  };

  return {
    write,
    writeOwn(line) {
      const bytes = Buffer.from(`${atLineStart ? '' : '\n'}${line}\n`);
      write(bytes);
      const length = Buffer.byteLength(line) + 1;
      if (after.length() === 0) return marked(head - length, head);
      const lost = after.length() - tailBytes;
      if (lost > 0) laterOwn = laterOwn.filter(({ from }) => from >= lost);
      laterOwn.push({ from: after.length() - length, to: after.length() });
    },
    end() {
      emitHead(pending);
      if (after.length() <= tailBytes) {
        const start = head;
        emitHead(after.kept());
        markLater(start);
        return { omittedBytes: 0 };
      }
      let tail = after.kept();
      const lineEnd = tail.indexOf(LF);
      const wholeLines = lineEnd >= 0 && lineEnd < tail.length - 1;
      tail = tail.subarray(wholeLines ? lineEnd + 1 : firstCharacter(tail));
      const omittedBytes = after.length() - tail.length;
      const omission = `[cidermill] ${countOf(omittedBytes, 'byte')} left out here\n`;
      emitHead(Buffer.from(`${lastHeadByte === LF ? '' : '\n'}${omission}`));
      marked(head - omission.length, head);
      const start = head - omittedBytes;
      // A line that was cut begins with the tail.
      emitHead(wholeLines ? tail : createServiceLineGuard().write(tail));
      if (wholeLines) markLater(start, omittedBytes);
      return { omittedBytes };
    },
  };
}

/** Keeps the last bytes of a stream and counts all of them. */
function createTail(most: number) {
  let ring: Buffer | null = null;
  let length = 0;
  return {
    length: () => length,
    add(bytes: Buffer): void {
      length += bytes.length;
      if (most === 0) return;
      ring ??= Buffer.alloc(most);
      const kept = bytes.subarray(Math.max(0, bytes.length - most));
      const at = (length - kept.length) % most;
      const first = Math.min(kept.length, most - at);
      kept.copy(ring, at, 0, first);
      kept.copy(ring, 0, first);
    },
    kept(): Buffer {
      if (ring === null) return Buffer.alloc(0);
      const at = length % most;
      return length <= most
        ? ring.subarray(0, length)
        : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
  };
}

/** Returns the index of the first complete character. */
function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
