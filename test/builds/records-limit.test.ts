// Builds, payments and hosts go on when an account has reached the limit of its records.
import { Readable } from 'node:stream';
import t from 'tap';
import { startBuildHost } from '../harness/build-host.js';
import { startHarness } from '../harness/harness.js';
import { recordsAndRecount } from '../harness/recount.js';
import { sha256 } from '../harness/sha256.js';
import { code, show, submit, withMacs } from '../harness/submitting.js';

t.test('builds of an account at its limit end with log, artifacts, failure and events', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const succeeds = await submit(h);
  const fails = await submit(h);
  await h.store.run(`UPDATE organizations SET limits = '{"records_bytes":1}' WHERE id = :id`, {
    id: h.org.id,
  });
  const refused = await h.call('POST', '/builds', { body: { repo: 'apple/swift', script: 'make' } });
  t.equal(code(refused), 'storage_quota_exceeded');
  await host.start();
  await host.output(succeeds.id, 'hello\n');
  const artifact = { buildId: succeeds.id, attempt: 1, name: 'a', bytes: 5, sha256: sha256('aaaaa') };
  await h.artifacts.store(artifact, Readable.from([Buffer.from('aaaaa')]));
  await host.finish(succeeds.id);
  await h.workers.idle();
  t.match(await show(h, succeeds.id), { status: 'succeeded', exit_code: 0 });
  await host.start();
  await host.output(fails.id, 'error: no such module\n');
  await host.finish(fails.id, { outcome: 'failed', exit_code: 65 } as never);
  await h.workers.idle();
  t.match(await show(h, fails.id), { status: 'failed' });
  t.equal((await h.call('GET', `/builds/${fails.id}/failure`)).statusCode, 200);
  const ends = await h.store.all<{ type: string }>(
    `SELECT event_type AS type FROM events WHERE event_type IN ('build.succeeded', 'build.failed') ORDER BY seq`,
  );
  t.same(ends, [{ type: 'build.succeeded' }, { type: 'build.failed' }]);
  const { ledger, recount } = await recordsAndRecount(h.store, h.org.id);
  t.equal(ledger, recount);
});

t.test('an order is paid at the limit, and becomes a Mac', async (t) => {
  const h = await startHarness(t);
  await startBuildHost(h, { macs: 1, accountId: h.other.id, hours: 24 });
  const start = new Date(h.clock.now() + 72 * 3_600_000).toISOString();
  const order = await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, start } });
  t.equal(order.statusCode, 201);
  const { order_no } = order.json();
  await h.store.run(`UPDATE organizations SET limits = '{"records_bytes":1}' WHERE id = :id`, {
    id: h.org.id,
  });
  const cookie = await h.signIn('owner');
  const paid = await h.callConsole('POST', `/v1/organizations/${h.org.orgId}/orders/${order_no}/pay`, {
    key: null,
    headers: { cookie },
    body: { consents: { terms: true, withdrawal: true } },
  });
  t.equal(paid.statusCode, 200, paid.body);
  t.match(paid.json(), { order: { status: 'paid' } });
  t.equal((await h.call('GET', '/rentals')).json().rentals.length, 1);
  t.equal(code(await h.call('POST', '/orders', { body: { tier: 'm4', hours: 24 } })), 'storage_quota_exceeded');
});
