// Measures the processor time of the test files in a process.
import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc on Linux. */
const TICKS_PER_SECOND = 100;

/** Returns the processor seconds of this process and, on Linux, of its ended child processes. */
function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The process name, in parentheses, can contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime, cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Returns a function that writes a line with the seconds used since its last call. */
export function processorTimes(write: (line: string) => void): (file: string) => void {
  let before = 0;
  return (file) => {
    const now = processorSeconds();
    write(`processor seconds: ${(now - before).toFixed(2)} ${file}`);
    before = now;
  };
}
