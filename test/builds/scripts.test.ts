// Equal scripts of an account are stored once, and lists do not carry them.
// Runs in: soak
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { firstCharacters } from '../../shared/first-characters.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { onPostgres } from '../harness/postgres-database.js';
import { submit } from '../harness/submitting.js';

const DAY = 86_400_000;
const LONG = randomBytes(96 * 1024).toString('hex');

const scriptsOf = async (h: Harness) => h.store.all('SELECT account_id, bytes, unused_at FROM scripts');

/** Runs a sweep until it is complete. */
async function sweep(h: Harness, name: string): Promise<void> {
  while ((await h.workers.named(name).run(new Set())) === 'again');
}

/** Size of the database after everything is in its file. */
async function fileBytes(h: Harness): Promise<number> {
  if (onPostgres()) {
    const row = await h.store.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
    return Number(row?.bytes);
  }
  const target = join(h.data, `measured-${randomBytes(4).toString('hex')}`);
  await h.store.backup(target);
  return statSync(target).size;
}

t.test('lists carry an excerpt and the size of a script, one build the whole', async (t) => {
  const h = await startHarness(t);
  const { id } = await submit(h, { queue_until_rental: true, script: `${'x'.repeat(499)}😀 and more` });
  const listed = [
    (await h.call('GET', '/builds')).json().builds[0],
    (await h.call('GET', '/status')).json().queue.queued[0],
    (await h.call('GET', '/queue')).json().queued[0],
    (await h.call('GET', '/rentals')).json().queue.queued[0],
  ];
  for (const build of listed) {
    t.equal(build.script_excerpt, 'x'.repeat(499), 'no half of a pair');
    t.equal(build.script_bytes, 512);
    t.notOk('script' in build);
  }
  for (const [method, path] of [
    ['GET', `/builds/${id}`],
    ['PATCH', `/builds/${id}`],
    ['POST', `/builds/${id}/rerun`],
    ['POST', `/builds/${id}/cancel`],
    ['POST', `/builds/${id}/cancel`],
    ['GET', `/builds/${id}/wait`],
  ] as const) {
    const body = method === 'PATCH' ? { body: { priority: 1 } } : {};
    const build = (await h.call(method, path, body)).json();
    t.equal(build.script, `${'x'.repeat(499)}😀 and more`, `${method} ${path}`);
    t.notOk('script_excerpt' in build);
  }
});

t.test('a repeated build adds little to the database, and its recorded answer is replayed byte by byte', async (t) => {
  const h = await startHarness(t);
  const { id } = await submit(h, { queue_until_rental: true, script: LONG });
  const before = await fileBytes(h);
  const TIMES = 40;
  const bodies: string[] = [];
  for (let n = 0; n < TIMES; n++) {
    const headers = { 'idempotency-key': `again-${n}` };
    const first = await h.call('POST', `/builds/${id}/rerun`, { headers, body: {} });
    t.equal(first.statusCode, 201);
    bodies.push(first.body);
    const { id: repeated } = first.json();
    t.equal((await h.call('POST', `/builds/${repeated}/cancel`)).statusCode, 200);
  }
  const each = ((await fileBytes(h)) - before) / TIMES;
  t.comment(`${each} bytes`);
  t.ok(each < 12_000, `${each} bytes for a repeated and canceled build with its events and answer`);
  t.same(await scriptsOf(h), [{ account_id: h.org.id, bytes: LONG.length, unused_at: null }]);
  for (const [n, body] of bodies.entries()) {
    const again = await h.call('POST', `/builds/${id}/rerun`, {
      headers: { 'idempotency-key': `again-${n}` },
      body: {},
    });
    t.equal(again.headers['idempotent-replayed'], 'true');
    if (again.body !== body) t.fail(`the answer ${n} differs`);
  }
  const [row] = await h.store.all<{ bytes: number }>('SELECT MAX(LENGTH(body)) AS bytes FROM idempotency');
  t.ok(row && row.bytes < 4_000, `${row?.bytes} bytes of a recorded answer`);
});

t.test('accounts do not share scripts', async (t) => {
  const h = await startHarness(t);
  const body = { script: 'make', repo: 'o/n', queue_until_rental: true };
  t.equal((await h.call('POST', '/builds', { body })).statusCode, 201);
  t.equal((await h.call('POST', '/builds', { body, key: h.other.key })).statusCode, 201);
  const found = await scriptsOf(h);
  t.equal(found.length, 2);
});

t.test('a script goes when the last build with it is gone and no recorded answer can refer to it', async (t) => {
  const h = await startHarness(t, { limits: { builds_kept_ms: DAY, upload_used_ms: DAY } });
  const first = await submit(h, { queue_until_rental: true, script: 'make once' });
  await h.call('POST', `/builds/${first.id}/cancel`);
  await h.clock.advance(DAY);
  const second = await submit(h, { queue_until_rental: true, script: 'make once' });
  await h.call('POST', `/builds/${second.id}/cancel`);
  await h.store.run('UPDATE events SET fanned_out = 1');
  await sweep(h, 'build-retention');
  t.equal((await h.call('GET', `/builds/${first.id}`)).statusCode, 404);
  t.match(await scriptsOf(h), [{ unused_at: null }], 'the second build has it');
  await h.clock.advance(DAY);
  await sweep(h, 'build-retention');
  t.same(await h.store.all('SELECT build_id FROM builds'), []);
  t.match(await scriptsOf(h), [{ unused_at: h.clock.now() }]);
  await h.clock.advance(DAY - 1);
  await sweep(h, 'scripts-purge');
  t.equal((await scriptsOf(h)).length, 1);
  await h.clock.advance(1);
  await sweep(h, 'scripts-purge');
  t.same(await scriptsOf(h), []);
  const again = await submit(h, { queue_until_rental: true, script: 'make once' });
  t.equal((await h.call('GET', `/builds/${again.id}`)).json().script, 'make once');
});

t.test('a search finds what stands beyond the excerpt of long scripts, in steps', async (t) => {
  const h = await startHarness(t);
  for (let n = 0; n < 12; n++) {
    const script = `${n === 2 ? 'NEEDLE' : ''}#${'y'.repeat(250_000)}${n % 5 === 0 ? `find-me-${n}` : ''}`;
    await submit(h, { queue_until_rental: true, script });
  }
  const page = (await h.call('GET', '/builds?q=FIND-me')).json();
  t.equal(page.builds.length, 3);
  t.equal(page.next_before, null);
  t.equal((await h.call('GET', '/builds?q=needle')).json().builds.length, 1);
});

t.test('the first characters of a text never end in half of a pair', async (t) => {
  t.equal(firstCharacters('abc', 5), 'abc');
  t.equal(firstCharacters('abcdef', 3), 'abc');
  t.equal(firstCharacters('ab😀', 3), 'ab');
  t.equal(firstCharacters('ab😀', 4), 'ab😀');
  t.equal(firstCharacters('a\ud83db', 2), 'a\ud83d', 'a lone surrogate is no pair');
});
