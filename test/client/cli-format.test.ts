// Numbers and texts as people read them.

import t from 'tap';
import { formatBytes, formatSpan, formatTable, formatTime, formatWon } from '../../client/cli/format.js';
import { queueText } from '../../client/cli/render-builds.js';
import { printable, styleFor } from '../../client/cli/terminal.js';
import type { AgentQueue } from '../../client/types.js';

t.test('numbers and texts as people read them', async (t) => {
  const sizes: [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 kB'],
    [99_950, '100 kB'],
    [54_000_000, '54.0 MB'],
    [2e13, '20.0 TB'],
  ];
  for (const [bytes, text] of sizes) t.equal(formatBytes(bytes), text);
  const spans: [number, string][] = [
    [8.4, '8s'],
    [65, '1m05s'],
    [3600, '1h00m'],
    [90_000, '1d01h'],
  ];
  for (const [seconds, text] of spans) t.equal(formatSpan(seconds), text);
  t.equal(formatWon(1_234_567), '1,234,567 won');
  t.equal(formatTime(null), '-');
  t.equal(formatTime('soon'), 'soon');
  t.equal(
    formatTable(
      ['A', 'B'],
      [
        ['long', 'x'],
        ['s', ''],
      ],
    ),
    'A     B\nlong  x\ns\n',
  );
  t.equal(printable('a\u001b[31mb\u001b[0m\u0007\tc\nd\u202e\u0085'), 'ab c d');
  t.equal(printable('a\nb', '\n'), 'a\nb');
});

t.test('a queue that is longer than its answer says where the rest is', async (t) => {
  const build = { id: 'rb_1', status: 'queued', priority: 0, queue_position: 1, repo: 'o/n', wait_reason: 'mac_busy' };
  const queueOf = (queued_count: number) =>
    ({ running_count: 2, queued_count, running: [], queued: [build] }) as unknown as AgentQueue;
  const style = styleFor({ isTTY: false } as NodeJS.WriteStream, {});
  t.match(
    queueText(queueOf(7), style),
    /^2 running, 7 waiting\n[\s\S]*rb_1[^\n]*\n8 more: cidermill builds --status active\n$/,
  );
  t.match(queueText({ ...queueOf(1), running_count: 0 }, style), /rb_1[^\n]*\n$/);
});
