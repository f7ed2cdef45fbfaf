// Loaded into the control plane by `--import`: writes the length, in ms, of each turn of its event loop that took more than
// 50 ms of the main thread's processor time to the file named by LONG_TURNS. Processor time leaves out what other processes
// take, and collections of garbage by other threads. Requires: Linux
import { appendFileSync, openSync, readSync } from 'node:fs';

const LONG_MS = 50;
/** Shorter than any turn that is counted. */
const EVERY_MS = 2;

const file = process.env.LONG_TURNS;
if (file !== undefined && /control-plane/.test(process.argv[1] ?? '')) {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const buffer = Buffer.alloc(64);
  // The first number: nanoseconds on a processor.
  const spent = () => {
    const length = readSync(stat, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6;
  };
  let last = spent();
  const look = () => {
    const now = spent();
    if (now - last > LONG_MS) appendFileSync(file, `${(now - last).toFixed(0)}\n`);
    last = now;
  };
  setInterval(look, EVERY_MS).unref();
}
