// Finds the begin and the end of the script's output in the output of a pty.
import { randomInt } from 'node:crypto';

// A control character that is rare in output, so that most chunks need no further check. No letters follow, because a
// script can make the terminal translate those.
const FIRST = 0x1e;
const DIGITS = 30;
const LONGEST_PREAMBLE = 2000;

/** Returns a random mark that a script cannot guess. */
export function newMark(): string {
  let digits = '';
  while (digits.length < DIGITS) digits += randomInt(10);
  return String.fromCharCode(FIRST) + digits;
}

/**
 * The wrapper prints `<mark>+<pid>\n` before and `<mark>-<exit code>\n` after the script, each in one write, so that
 * concurrent output cannot split them. Everything before the first is output of the terminal itself.
 *
 * @param emit gets memory that is only valid during the call
 */
export function createEndMarkScanner(mark: string, emit: (bytes: Buffer) => void) {
  const begin = Buffer.from(`${mark}+`);
  const end = Buffer.from(`${mark}-`);
  let state: 'preamble' | 'output' | 'ended' = 'preamble';
  let held = Buffer.alloc(0);
  let exitCode: number | null = null;
  let pid: number | null = null;

  const readPreamble = () => {
    const at = held.indexOf(begin);
    const lineEnd = at < 0 ? -1 : held.indexOf(0x0a, at);
    if (lineEnd < 0) {
      if (at < 0) held = held.subarray(Math.max(0, held.length - LONGEST_PREAMBLE));
      return;
    }
    state = 'output';
    const number = Number(held.toString('latin1', at + begin.length, lineEnd));
    // Signals to smaller process ids have other meanings.
    pid = Number.isInteger(number) && number > 1 ? number : null;
    const rest = held.subarray(lineEnd + 1);
    held = Buffer.alloc(0);
    readOutput(rest);
  };
  const readOutput = (bytes: Buffer) => {
    for (let at = bytes.indexOf(FIRST); at >= 0; at = bytes.indexOf(FIRST, at + 1)) {
      const candidate = bytes.subarray(at, at + end.length);
      if (!end.subarray(0, candidate.length).equals(candidate)) continue;
      const rest = bytes.toString('latin1', at + end.length, at + end.length + 5);
      const code = /^(\d{1,3})\r?\n/.exec(rest);
      if (code) {
        state = 'ended';
        exitCode = Number(code[1]);
      } else if (/^\d{0,3}\r?$/.test(rest)) {
        held = Buffer.from(bytes.subarray(at));
      } else {
        continue;
      }
      bytes = bytes.subarray(0, at);
      break;
    }
    if (bytes.length > 0) emit(bytes);
  };

  return {
    /** Reads the next bytes and passes the script's output to `emit`. After the end mark, everything is dropped. */
    scan(chunk: Buffer) {
      if (state === 'ended') return;
      if (state === 'preamble') {
        held = Buffer.concat([held, chunk]);
        return readPreamble();
      }
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      held = Buffer.alloc(0);
      readOutput(bytes);
    },
    /** Returns the exit code after the end mark, or null. */
    exitCode: () => exitCode,
    /** Returns the script's process id after the begin mark; null before that. */
    pid: () => pid,
    /**
     * Returns whether the begin mark was seen. If not, `preamble` returns what came instead (a failed exec prints to
     * the terminal).
     */
    begun: () => state !== 'preamble',
    preamble: () => (state === 'preamble' ? held.toString('utf8').trim() : ''),
    /** Emits bytes held back as a possible start of the mark, when no more output will come. */
    flush() {
      if (state === 'output' && held.length > 0) emit(held);
      held = Buffer.alloc(0);
    },
  };
}
