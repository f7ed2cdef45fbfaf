// How soon another process can read a log, and what the database keeps of one at its limit.
// Runs in: soak
import t, { type Test } from 'tap';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { systemClock } from '../../shared/clock.js';
import { pause } from '../../shared/pause.js';
import { all } from './log-conformance.js';
import { sharedPlace } from './log-forms.js';

const MiB = 1024 * 1024;
const SIZE = 64 * MiB;

/** How long it takes from the sending of bytes until another process has read them: 600 times, of 20 logs. */
async function delays(t: Test): Promise<number[]> {
  const place = await sharedPlace(t);
  const woken = new Map<string, () => void>();
  const a = place.process({ onAppend: (id) => woken.get(id)?.() });
  const b = place.process({ rows: await place.another() });
  const late: number[] = [];
  const one = async (id: string) => {
    let read = '';
    for (let at = 0; at < 30; at++) {
      await pause(systemClock, 50 + Math.random() * 100);
      const wake = new Promise<void>((resolve) => woken.set(id, resolve));
      const sent = performance.now();
      const stored = a.logs.append(id, at, Buffer.from('x'));
      await wake;
      read += (await b.logs.read(id, at, MiB, false)).data.toString();
      late.push(performance.now() - sent);
      await stored;
    }
    t.equal(read, 'x'.repeat(30));
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => one(`rb_${i}`)));
  return late.sort((x, y) => x - y);
}

t.test('a log can be read in another process within 250 ms at the 99th percentile', async (t) => {
  // Other programs of this machine may take all the time of one round.
  let p99 = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && p99 >= 250; round++) {
    const late = await delays(t);
    p99 = late[Math.floor(late.length * 0.99)] as number;
    t.comment(`p50 ${late[late.length >> 1]?.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  }
  t.ok(p99 < 250, `p99: ${p99} ms`);
});

/** Bytes that pieces of logs take in the database; space that was freed does not count. */
async function sizeOf(store: Store): Promise<number> {
  if (store.dialect === 'sqlite') {
    const row = await store.get<{ bytes: number }>(
      'SELECT SUM(length(bytes) + length(entries)) AS bytes FROM log_pieces',
    );
    return row?.bytes ?? 0;
  }
  const row = await store.get<{ bytes: number }>(`SELECT pg_total_relation_size('log_pieces') AS bytes`);
  return row?.bytes ?? 0;
}

t.test('a log of 64 MiB: the database has it while the build runs, and nothing of it afterwards', async (t) => {
  const place = await sharedPlace(t);
  const { logs, settle } = place.process();
  const before = await sizeOf(place.store);
  const line = Array.from({ length: 2_000 }, (_, i) => `CompileSwift normal arm64 File${i * 7919}.swift\n`).join('');
  const text = Buffer.alloc(SIZE, line);
  for (let at = 0; at < SIZE; ) at = (await logs.append('rb_1', at, text.subarray(at, at + MiB))).length;
  const running = await sizeOf(place.store);
  t.comment(`while it runs: ${running} bytes`);
  t.ok(running > before);
  const began = performance.now();
  await settle('rb_1');
  t.comment(`moved in ${Math.round(performance.now() - began)} ms`);
  // The server does this by itself after some time.
  if (place.store.dialect === 'postgres') await place.vacuum();
  const after = await sizeOf(place.store);
  t.comment(`afterwards: ${after} bytes`);
  t.ok(after - before < MiB, `${after - before} bytes are left`);
  t.ok((await all(logs.stream('rb_1'))).equals(text));
  const { lines } = await logs.size('rb_1');
  const last = await logs.lineStart('rb_1', lines);
  t.equal(await logs.lineAt('rb_1', last.offset), lines);
});
