// Appends to a log for ever, in a process of its own, which a test kills.
import { openLogs } from './open-logs.js';

const [, , root = ''] = process.argv;
const logs = openLogs(root);
let { length } = await logs.size('rb_1');
for (let n = 1; ; n++) {
  const lines = Array.from({ length: 700 }, (_, i) => `${n}.${i} compiling module ${(n * i) % 97}\n`);
  if (n % 5 === 0) lines.push(`needle ${n}\n`);
  ({ length } = await logs.append('rb_1', length, Buffer.from(lines.join(''))));
  if (n % 10 === 0) process.send?.(n);
}
