// The agent's log file, rotated by the agent: launchd would keep writing to a renamed file.
import { chmodSync, closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { isErrno } from '../../shared/errno.js';
import { type LogOutput, standardOutput, wholeLines } from '../../shared/log-output.js';

/**
 * Opens a log file: `file`, and up to `kept` older files `file.1` (the newest), `file.2`, … A line that cannot be
 * written is lost, and standard error says why the first time.
 */
export function openLogFile(
  file: string,
  { largestBytes, kept }: { largestBytes: number; kept: number },
  complain: LogOutput = standardOutput(2),
): LogOutput {
  let size = sizeOf(file);
  let failing = false;

  const rotate = () => {
    for (let n = kept; n >= 1; n--) moveIfThere(n === 1 ? file : `${file}.${n - 1}`, `${file}.${n}`);
    size = 0;
  };

  let fd = -1;
  const writeWhole = wholeLines((bytes, at) => {
    const written = writeSync(fd, bytes, at);
    size += written;
    return written;
  });
  const append = (line: string) => {
    if (size > 0 && size + line.length > largestBytes) rotate();
    fd = openSync(file, 'a', 0o600);
    try {
      writeWhole(line);
    } finally {
      closeSync(fd);
    }
  };

  return {
    write(line) {
      try {
        append(line);
        failing = false;
      } catch (error) {
        if (!failing) complain.write(`the log cannot be written: ${String(error)}\n`, () => undefined);
        failing = true;
        throw error;
      }
    },
  };
}

/** Returns 0 for a file that cannot be used; the first line says why. */
function sizeOf(file: string): number {
  try {
    chmodSync(file, 0o600);
    return statSync(file).size;
  } catch {
    return 0;
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}
