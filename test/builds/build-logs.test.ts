// Logs in files.
import { appendFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { all, append, describing, ending, growing, lineRange, linesOf } from './log-conformance.js';
import { fileForm } from './log-forms.js';
import { openLogs } from './open-logs.js';

growing(t, fileForm);
ending(t, fileForm);
describing(t, fileForm);

t.test('reading makes no file', async (t) => {
  const root = t.testdir();
  const logs = openLogs(root);
  t.same(await logs.size('rb_none'), { length: 0, lines: 0 });
  await logs.remove('rb_none');
  t.same(readdirSync(root), []);
  await logs.close();
});

t.test('an index that is missing, behind, damaged or ahead of its log is repaired', async (t) => {
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1} ${'.'.repeat(i % 40)}\n`).join('');
  const lines = linesOf(text);
  const spoil: Record<string, (base: string) => void> = {
    missing: (base) => rmSync(`${base}.log.index`),
    behind: (base) => truncateSync(`${base}.log.index`, 40),
    torn: (base) => truncateSync(`${base}.log.index`, 31),
    zeros: (base) => writeFileSync(`${base}.log.index`, Buffer.alloc(600)),
    noise: (base) => writeFileSync(`${base}.log.index`, Buffer.alloc(600, 0x01)),
    'more at its end': (base) => appendFileSync(`${base}.log.index`, Buffer.alloc(24, 0xff)),
    'log cut by a power loss': (base) => truncateSync(`${base}.log`, 200_001),
  };
  for (const [name, harm] of Object.entries(spoil)) {
    const root = t.testdir();
    const first = openLogs(root);
    await append(first, 'rb_1', 0, text);
    await first.close();
    harm(join(root, '_1', 'rb_1'));
    const logs = openLogs(root);
    const { length } = await logs.size('rb_1');
    await logs.append('rb_1', length, Buffer.from(text).subarray(length));
    t.same(await logs.size('rb_1'), { length: text.length, lines: lines.length }, name);
    for (const line of [1, 2, 9_999, 20_000]) {
      const { start, end } = await lineRange(logs, 'rb_1', line, line);
      t.equal((await all(logs.stream('rb_1', { start, end }))).toString(), lines[line - 1], `${name}: line ${line}`);
    }
    await logs.close();
  }
});

t.test('a log stays usable after an append that failed', async (t) => {
  const root = t.testdir();
  const logs = openLogs(root);
  writeFileSync(join(root, '_2'), 'a file where a folder belongs');
  await t.rejects(append(logs, 'rb_2', 0, 'x'), { code: 'ENOTDIR' });
  rmSync(join(root, '_2'));
  t.same(await append(logs, 'rb_2', 0, 'x'), { length: 1 });
  await logs.close();
});
