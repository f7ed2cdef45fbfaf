// `host-agent logs`: the last lines over rotated files, new lines as they come, and lines for people.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { follow, readable, showLast } from '../../../host-agent/cli/logs.js';
import { systemClock } from '../../../shared/clock.js';
import { until } from '../../harness/until.js';

t.test('the last lines, over the rotated files', async (t) => {
  const folder = t.testdir({
    'a.log': '5\n6\nhalf',
    'a.log.1': '3\n4\n',
    'a.log.2': '1\n2\n',
    'a.log.old': 'x\n',
  });
  const file = join(folder, 'a.log');
  const last = (count: number) => {
    const lines: string[] = [];
    showLast(file, count, (line) => lines.push(line));
    return lines.join('');
  };
  for (const [count, expected] of [
    [0, ''],
    [1, '6'],
    [3, '456'],
    [6, '123456'],
    [100, '123456'],
  ] as const) {
    t.equal(last(count), expected);
  }
  t.throws(() => showLast(join(folder, 'none.log'), 1, () => {}), /there is no .*none\.log/);
});

t.test('following a file that grows, is rotated and is emptied', async (t) => {
  const file = join(t.testdir({ 'a.log': 'old\n' }), 'a.log');
  const lines: string[] = [];
  const show = (line: string) => lines.push(line);
  const position = showLast(file, 0, show);
  const end = new AbortController();
  // Without waiting: the pauses between two looks are those of the machine's next turn.
  const clock = { ...systemClock, setTimeout: (fn: () => void) => systemClock.setTimeout(fn, 1) };
  t.teardown(() => end.abort());
  const following = follow(file, position, { show, clock, signal: end.signal });
  const seen = (expected: string) =>
    until(() => lines.join(' ') === expected, `seen: ${expected}, not ${lines.join(' ')}`);
  appendFileSync(file, 'one\ntwo\nthr');
  await seen('one two');
  appendFileSync(file, 'ee\n');
  await seen('one two three');
  appendFileSync(file, 'last\n');
  renameSync(file, `${file}.1`);
  writeFileSync(file, 'new\n');
  await seen('one two three last new');
  writeFileSync(file, '');
  await new Promise((done) => setTimeout(done, 20));
  appendFileSync(file, 'ä\n');
  await seen('one two three last new ä');
  end.abort();
  await following;
});

t.test('a line for people', async (t) => {
  const line =
    '{"level":40,"time":0,"pid":1,"hostname":"m","name":"host-agent","msg":"link is down","code":1006,"err":{"message":"no"}}';
  t.equal(readable(line), '1970-01-01T00:00:00.000Z warn  link is down code=1006 err={"message":"no"}');
  for (const other of ['', 'plain text', '{"a":1}', 'null', '[1', '{"time":"x"}']) t.equal(readable(other), other);
});
