// The agent's log file, rotated by the agent: launchd would keep writing to a renamed file.
import { appendFileSync, chmodSync, renameSync, statSync } from 'node:fs';
import { isErrno } from '../../shared/errno.js';

/**
 * Opens a log stream: `file`, and up to `kept` older files `file.1` (the newest), `file.2`, … On a full disk, log lines
 * are lost and the daemon continues.
 */
export function openLogFile(
  file: string,
  { largestBytes, kept }: { largestBytes: number; kept: number },
): { write(line: string): void } {
  let size = sizeOf(file);

  const rotate = () => {
    for (let n = kept; n >= 1; n--) moveIfThere(n === 1 ? file : `${file}.${n - 1}`, `${file}.${n}`);
    size = 0;
  };

  return {
    write(line) {
      try {
        if (size > 0 && size + line.length > largestBytes) rotate();
        appendFileSync(file, line, { mode: 0o600 });
        size += Buffer.byteLength(line);
      } catch (error) {
        // Nowhere else to report it.
        process.stderr.write(`the log cannot be written: ${String(error)}\n`);
      }
    },
  };
}

function sizeOf(file: string): number {
  try {
    chmodSync(file, 0o600);
    return statSync(file).size;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 0;
    throw error;
  }
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}
