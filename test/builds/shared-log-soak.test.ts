// What the database keeps of a log at its limit. How soon another process reads a log: bench/log-latency.ts.
// Runs in: soak
import t from 'tap';
import type { Store } from '../../control-plane/platform/store/sql.js';
import { all } from './log-conformance.js';
import { sharedPlace } from './log-forms.js';

const MiB = 1024 * 1024;
const SIZE = 64 * MiB;

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
