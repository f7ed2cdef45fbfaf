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

/** Receives the bytes of a log in order; the memory is only valid during the call. */
export type EmitLog = (bytes: Buffer, isService: boolean) => void;

/**
 * Emits everything up to `headBytes`; after that only the last `tailBytes` are kept. If the log fits into both,
 * nothing is omitted and there is no marker. Cuts never split a UTF-8 character, and the tail begins with a line
 * unless it is one line. The result does not depend on how the log is divided into chunks.
 */
export function createLogWindow(options: { headBytes: number; tailBytes: number }, emit: EmitLog): LogWindow {
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

  const emitHead = (bytes: Buffer, isService = false) => {
    if (bytes.length === 0) return;
    emit(bytes, isService);
    head += bytes.length;
    lastHeadByte = bytes[bytes.length - 1] ?? LF;
  };
  /** @param omitted how many bytes after the head are omitted before this tail */
  const emitTail = (tail: Buffer, omitted: number) => {
    let done = 0;
    for (const { from, to } of laterOwn) {
      const start = Math.max(done, from - omitted);
      if (to - omitted <= start) continue;
      emitHead(tail.subarray(done, start));
      emitHead(tail.subarray(start, to - omitted), true);
      done = to - omitted;
    }
    emitHead(tail.subarray(done));
  };
  const addLater = (bytes: Buffer, isService: boolean) => {
    const from = after.length();
    after.add(bytes);
    if (!isService) return;
    const lost = after.length() - tailBytes;
    if (lost > 0) laterOwn = laterOwn.filter(({ to }) => to > lost);
    laterOwn.push({ from, to: after.length() });
  };
  const write = (chunk: Buffer, isService = false) => {
    if (chunk.length > 0) atLineStart = chunk[chunk.length - 1] === LF;
    if (!headOpen) return addLater(chunk, isService);
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
    pending = Buffer.alloc(0);
    const room = headBytes - head;
    if (bytes.length > room) {
      const cut = characterBoundary(bytes, room);
      emitHead(bytes.subarray(0, cut), isService);
      headOpen = false;
      return addLater(bytes.subarray(cut), isService);
    }
    const started = incompleteTail(bytes);
    const mayNotFit = bytes.length + 3 > room;
    emitHead(mayNotFit ? bytes.subarray(0, bytes.length - started) : bytes, isService);
    if (mayNotFit && started > 0) pending = Buffer.from(bytes.subarray(bytes.length - started));
  };

  return {
    write: (chunk) => write(chunk),
    writeOwn(line) {
      if (!atLineStart) write(Buffer.from('\n'));
      write(Buffer.from(`${line}\n`), true);
    },
    end() {
      emitHead(pending);
      if (after.length() <= tailBytes) {
        emitTail(after.kept(), 0);
        return { omittedBytes: 0 };
      }
      let tail = after.kept();
      const lineEnd = tail.indexOf(LF);
      const wholeLines = lineEnd >= 0 && lineEnd < tail.length - 1;
      tail = tail.subarray(wholeLines ? lineEnd + 1 : firstCharacter(tail));
      const omittedBytes = after.length() - tail.length;
      const omission = `[cidermill] ${countOf(omittedBytes, 'byte')} left out here\n`;
      if (lastHeadByte !== LF) emitHead(Buffer.from('\n'));
      emitHead(Buffer.from(omission), true);
      const endsWithOwn = laterOwn.at(-1)?.to === after.length();
      // A line of the script that was cut begins with the tail.
      if (wholeLines || endsWithOwn) emitTail(tail, omittedBytes);
      else emitHead(createServiceLineGuard().write(tail));
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
      return length <= most ? ring.subarray(0, length) : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
    },
  };
}

/** Returns the index of the first complete character. */
function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
