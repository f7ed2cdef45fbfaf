// Searches in logs on disk: of several attempts, cut back and sent again, and left behind by a process that was killed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createLogSearch, type LogMatches } from '../../control-plane/builds/domain/log-search.js';
import type { BuildLogs } from '../../control-plane/builds/logs/build-logs.js';
import { sha256 } from '../harness/sha256.js';
import { openLogs } from './open-logs.js';

const child = fileURLToPath(new URL('./log-append-child.js', import.meta.url));

async function search(logs: BuildLogs, text: string): Promise<LogMatches> {
  const found = createLogSearch({ text, from: 1, count: 500, lineChars: 500, pageChars: 10_000_000 });
  for await (const piece of logs.stream('rb_1')) found.read(piece);
  return found.end();
}
const numbers = async (logs: BuildLogs, text: string) => (await search(logs, text)).matches.map(({ n }) => n);

/** Some 40 bytes a line; `word` in every line whose number `every` divides. */
const lines = (count: number, word: string, every: number) =>
  Array.from(
    { length: count },
    (_, i) => `${i + 1} compiling the module ${i % 97}${(i + 1) % every === 0 ? ` ${word}` : ''}\n`,
  ).join('');

t.test('a log that is cut back and sent again is found as it is now', async (t) => {
  const first = lines(12_000, 'before', 500);
  const second = first.replaceAll('before', 'behind');
  const part = { from: 0, length: second.length, sha256: sha256(Buffer.from(second)) };
  for (const dies of [false, true]) {
    const root = t.testdir();
    let logs = openLogs(root);
    await logs.append('rb_1', 0, Buffer.from(first));
    t.same(await logs.finish('rb_1', part), { complete: false, wanted: 0 });
    if (dies) {
      await logs.close();
      logs = openLogs(root);
    }
    await logs.append('rb_1', 0, Buffer.from(second));
    t.same(await logs.finish('rb_1', part), { complete: true });
    t.equal((await search(logs, 'behind')).total, 24);
    t.equal((await search(logs, 'before')).total, 0);
    await logs.close();
  }

  const root = t.testdir();
  const log = openLogs(root);
  await log.append('rb_1', 0, Buffer.from(first));
  await log.close();
  truncateSync(join(root, '_1', 'rb_1.log'), 100_000);
  const after = openLogs(root);
  await after.append('rb_1', 100_000, Buffer.from(second).subarray(100_000));
  const kept = first.slice(0, 100_000).match(/before/g)?.length ?? 0;
  t.equal((await search(after, 'before')).total, kept, 'a power loss took the end of the log');
  t.equal((await search(after, 'behind')).total, 24 - kept);
  await after.close();
});

t.test('a process that is killed while it appends leaves a log that the next one searches', async (t) => {
  const root = t.testdir();
  for (let round = 0; round < 5; round++) {
    const appending = fork(child, [root]);
    const exit = once(appending, 'exit');
    for (let batch = 0; batch <= round; batch++) await once(appending, 'message');
    for (let i = 0; i < 50 * round; i++) await new Promise(setImmediate);
    appending.kill('SIGKILL');
    t.equal((await exit)[1], 'SIGKILL');

    const logs = openLogs(root);
    const { matches, total } = await search(logs, 'needle');
    t.ok(total > 0);
    for (const { n, start } of matches) {
      t.equal((await logs.lineStart('rb_1', n)).offset, start, `line ${n} begins where it was found`);
    }
    await logs.close();
  }
});

t.test('attempts under a marker line, secrets that are masked, and a middle that was left out', async (t) => {
  const logs = openLogs(t.testdir());
  await logs.append('rb_1', 0, Buffer.from(`${lines(8_000, 'token=***', 4_000)}half a li`));
  const { length } = await logs.appendLine('rb_1', '[cidermill] moved to another Mac');
  await logs.append('rb_1', length, Buffer.from(`${lines(8_000, '', 9_000)}[cidermill] 12 bytes left out\nthe end`));
  t.same(await numbers(logs, 'half a li'), [8_001]);
  t.same(await numbers(logs, 'Moved to'), [8_002]);
  t.same(await numbers(logs, 'left out'), [16_003]);
  t.same(await numbers(logs, 'THE END'), [16_004]);
  t.same(await numbers(logs, 'token=***'), [4_000, 8_000]);
  t.same(await numbers(logs, 'not in it'), []);
  await logs.close();
});
