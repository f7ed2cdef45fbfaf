// Keeps the head and the tail of a log and counts the bytes between them: errors are mostly at the end.
import { countOf } from '../../shared/count.js';
import { characterBoundary, incompleteTail } from '../../shared/utf8.js';
import { createServiceLineGuard } from './service-lines.js';

const LF = 0x0a;

export interface LogWindow {
  write(chunk: Buffer): void;
  /** Writes the kept tail after a line with the number of omitted bytes. Call once. */
  end(): { omittedBytes: number };
}

/**
 * Emits everything up to `headBytes`; after that only the last `tailBytes` are kept. If the log fits into both,
 * nothing is omitted and there is no marker. Cuts never split a UTF-8 character, and the tail begins with a line
 * unless it is one line. The result does not depend on how the log is divided into chunks.
 *
 * @param emit gets memory that is only valid during the call
 */
export function createLogWindow(
  options: { headBytes: number; tailBytes: number },
  emit: (bytes: Buffer) => void,
): LogWindow {
  const { headBytes, tailBytes } = options;
  let head = 0;
  let headOpen = true;
  let lastHeadByte = LF;
  // A character that starts in one chunk may not fit into the head.
  let pending = Buffer.alloc(0);
  let ring: Buffer | null = null;
  let beyond = 0;

  const emitHead = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    emit(bytes);
    head += bytes.length;
    lastHeadByte = bytes[bytes.length - 1] ?? LF;
  };
  const remember = (bytes: Buffer) => {
    beyond += bytes.length;
    if (tailBytes === 0) return;
    ring ??= Buffer.alloc(tailBytes);
    const kept = bytes.subarray(Math.max(0, bytes.length - tailBytes));
    const at = (beyond - kept.length) % tailBytes;
    const first = Math.min(kept.length, tailBytes - at);
    kept.copy(ring, at, 0, first);
    kept.copy(ring, 0, first);
  };
  const remembered = (): Buffer => {
    if (ring === null) return Buffer.alloc(0);
    const at = beyond % tailBytes;
    return beyond <= tailBytes
      ? ring.subarray(0, beyond)
      : Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
  };

  return {
    write(chunk) {
      if (!headOpen) return remember(chunk);
      const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
      pending = Buffer.alloc(0);
      const room = headBytes - head;
      if (bytes.length > room) {
        const cut = characterBoundary(bytes, room);
        emitHead(bytes.subarray(0, cut));
        headOpen = false;
        return remember(bytes.subarray(cut));
      }
      const started = incompleteTail(bytes);
      const mayNotFit = bytes.length + 3 > room;
      emitHead(mayNotFit ? bytes.subarray(0, bytes.length - started) : bytes);
      if (mayNotFit && started > 0) pending = Buffer.from(bytes.subarray(bytes.length - started));
    },
    end() {
      emitHead(pending);
      if (beyond <= tailBytes) {
        emitHead(remembered());
        return { omittedBytes: 0 };
      }
      let tail = remembered();
      const lineEnd = tail.indexOf(LF);
      const wholeLines = lineEnd >= 0 && lineEnd < tail.length - 1;
      tail = tail.subarray(wholeLines ? lineEnd + 1 : firstCharacter(tail));
      const omittedBytes = beyond - tail.length;
      emitHead(
        Buffer.from(
          `${lastHeadByte === LF ? '' : '\n'}[cidermill] ${countOf(omittedBytes, 'byte')} left out here\n`,
        ),
      );
      // A line that was cut begins with the tail.
      emitHead(wholeLines ? tail : createServiceLineGuard().write(tail));
      return { omittedBytes };
    },
  };
}

/** Returns the index of the first complete character. */
function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(3, bytes.length) && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
