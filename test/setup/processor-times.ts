// How much processor time the test files of a process took.
import { readFileSync } from 'node:fs';

/** Of the process table of Linux. */
const TICKS_PER_SECOND = 100;

/** Returns the seconds of this process and, on Linux, of the processes that it started and that have ended. */
function processorSeconds(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The name of the program, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // utime, stime, cutime, cstime
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Returns a function that writes one line for what was used since its last call. */
export function processorTimes(write: (line: string) => void): (file: string) => void {
  let before = 0;
  return (file) => {
    const now = processorSeconds();
    write(`processor seconds: ${(now - before).toFixed(2)} ${file}`);
    before = now;
  };
}
