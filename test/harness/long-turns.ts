// Loaded into the control plane by `--import`: writes the length, in ms, of each turn of its event loop that took more than
// 50 ms of the main thread's processor time to the file named by LONG_TURNS. Processor time leaves out what other processes
// take, and collections of garbage by other threads. How quick the machine is at that moment is left out too: a turn is counted
// in units of a piece of work done right after it. Requires: Linux
import { appendFileSync, openSync, readSync } from 'node:fs';

const LONG_MS = 50;
/** What `work` takes on the machine of docs/performance.md. */
const WORK_MS = 5;
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
  // Much like an answer: a MiB of JSON, made from new objects.
  const work = () => {
    const row = (n: number) => ({ id: `rb_${n}`, status: 'queued', script: 'x'.repeat(400), labels: ['a', 'b'] });
    return Buffer.from(JSON.stringify(Array.from({ length: 2_000 }, (_, n) => row(n))));
  };
  const timeOfWork = () => {
    const before = spent();
    work();
    return spent() - before;
  };
  /** How many times slower than usual this machine is now; at least 1. */
  const slowness = () => {
    const times = Array.from({ length: 5 }, timeOfWork).sort((a, b) => a - b);
    return Math.max(1, (times[2] ?? WORK_MS) / WORK_MS);
  };
  // Compiled and warm before anything is counted.
  for (let n = 0; n < 20; n++) work();
  let last = spent();
  const look = () => {
    const took = spent() - last;
    if (took > LONG_MS) {
      const usual = took / slowness();
      if (usual > LONG_MS) appendFileSync(file, `${usual.toFixed(0)}\n`);
    }
    last = spent();
  };
  setInterval(look, EVERY_MS).unref();
}
