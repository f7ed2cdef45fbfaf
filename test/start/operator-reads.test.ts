// The operator API's reads: what operators see of hosts, slots, organizations, orders, the audit log and throughput.
import t from 'tap';
import { operationPath } from '../../control-plane/platform/http/operation.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, type HarnessOptions, startHarness } from '../harness/harness.js';
import { addHost, DAY, HOUR, iso, order, pay, putM4, rent } from '../harness/renting.js';

async function start(t: Parameters<typeof startHarness>[0], limits: HarnessOptions['limits'] = {}) {
  const h = await startHarness(t, { limits: { operator_session_idle_ms: DAY, ...limits } });
  const cookie = await h.signIn('developer', { operator: true, org: h.other, email: 'ops@example.com' });
  t.teardown(() => {
    for (const operation of h.operator.conformance.seen) called.add(operation);
  });
  return { h, cookie, ...readerOf(h, cookie) };
}

/** Answers that some test here has got, e.g. `GET /v1/hosts 200`. */
const called = new Set<string>();

function readerOf(h: Harness, cookie: string) {
  const send = (path: string) => h.inject({ method: 'GET', url: `/api/operator/v1${path}`, headers: { cookie } });
  const read = async (path: string) => {
    const answer = await send(path);
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${answer.body}`);
    return answer.json();
  };
  return {
    send,
    read,
    refused: async (path: string) => {
      const { statusCode, body } = await send(path);
      return `${statusCode} ${JSON.parse(body).error?.code}`;
    },
    /** Reads all pages of one entry each. */
    async pages(path: string) {
      const all: unknown[] = [];
      for (let cursor = ''; ; ) {
        const page = await read(`${path}${path.includes('?') ? '&' : '?'}limit=1${cursor}`);
        all.push(...page.data);
        if (page.next_cursor === null) return all;
        cursor = `&cursor=${page.next_cursor}`;
      }
    },
    run: (name: string, input: object) =>
      h.inject({ method: 'POST', url: `/api/operator${operationPath(name)}`, headers: { cookie }, payload: input }),
  };
}

t.test('hosts: pages, filters, counts; one host with its slots', async (t) => {
  const { h, read, pages, refused, run } = await start(t);
  const first = await addHost(h, 2);
  await run('host.set', { hosts: [first.hostId], set: { labels: { rack: '4' } } });
  const [rentalId] = await rent(h, first);
  const second = await addHost(h, 2);
  await run('host.cordon', { hosts: [second.hostId], reason: 'bad fan' });
  const all = await read('/hosts');
  const found = all.data.find((one: { host_id: string }) => one.host_id === first.hostId);
  t.match(found, { state: 'active', slots: 2, slots_taken: 1, labels: { rack: '4' } });
  const [slot] = found.slot_details;
  t.match(slot.macs, [{ rental_id: rentalId, state: 'ready', organization: { slug: 'apple-press' } }]);
  const cordoned = await read('/hosts?state=cordoned');
  t.match(cordoned.data, [
    { host_id: second.hostId, reason: 'bad fan', status_by: 'ops@example.com', conditions: ['cordoned'] },
  ]);
  t.same(
    new Map(all.counts.map(({ state, hosts }: { state: string; hosts: number }) => [state, hosts])),
    new Map([
      ['active', 1],
      ['cordoned', 1],
    ]),
  );
  t.equal((await pages('/hosts')).length, 2);
  t.match((await read('/hosts?q=RACK%3D4')).data, [{ host_id: first.hostId }]);
  t.same((await read('/hosts?tier=m9')).data, []);
  const detail = await read(`/hosts/${first.hostId}`);
  t.match(detail, { host_id: first.hostId, connections: [{ ended_at: null }], clock_skew_ms: null });
  t.equal(await refused('/hosts/host_none'), '404 host_not_found');
  t.equal(await refused('/hosts?state=painted'), '400 invalid_request');
  t.same(await read('/upgrade'), { upgrade: null, versions: [] });
  t.same((await read('/problems')).problems, []);
});

t.test('the calendar has rentals, reservations and holds of each slot', async (t) => {
  const { h, read, refused } = await start(t);
  const host = await addHost(h, 2, { shared: true });
  const [running] = await rent(h, host);
  const later = await order(h, { start: new Date(h.clock.now() + 3 * DAY).toISOString() });
  await pay(h, later.order_no);
  const unpaid = await order(h);
  const { data, next_cursor } = await read('/calendar');
  t.equal(next_cursor, null);
  t.match(data, [{ host_id: host.hostId, slots: [{ position: 1 }, { position: 2 }] }]);
  const occupations = data[0].slots.flatMap((slot: { occupations: object[] }) => slot.occupations);
  t.equal(occupations.length, 3);
  const of = (kind: string) => occupations.find((one: { kind: string }) => one.kind === kind);
  t.match(of('rental'), { rental_id: running, state: 'ready', organization: { slug: 'apple-press' } });
  t.match(of('reservation'), { order_no: later.order_no, state: 'reserved' });
  t.match(of('hold'), { order_no: unpaid.order_no, rental_id: null });
  const at = (days: number) => new Date(h.clock.now() + days * DAY).toISOString();
  const past = await read(`/calendar?from=${at(-10)}&to=${at(-5)}`);
  t.same(past.data[0].slots[0].occupations, []);
  t.equal(await refused(`/calendar?from=${at(0)}&to=${at(200)}`), '400 invalid_request');
  t.equal(await refused(`/calendar?from=${at(0)}&to=${at(0)}`), '400 invalid_request');
});

t.test('organizations, orders, waitlist, tiers and enrollment', async (t) => {
  const { h, read, pages, refused, run } = await start(t);
  const host = await addHost(h, 1);
  const [rental] = await rent(h, host);
  await h.signIn('owner');
  t.match(await pages('/organizations'), [
    { slug: 'other-mill', members: 1, macs: 0 },
    { slug: 'apple-press', members: 1, macs: 1, stored_bytes: 0 },
  ]);
  t.match((await read('/organizations?q=PRESS')).data, [{ slug: 'apple-press' }]);
  t.same((await read('/organizations?status=suspended')).data, []);
  await run('org.set-limits', { org: 'apple-press', contents_gb: 5 });
  const detail = await read('/organizations/apple-press');
  t.match(detail, { usage: { held_slots: 1 }, members: 1, macs: 1 });
  t.match(await pages('/organizations/apple-press/rentals'), [
    { rental_id: rental, state: 'ready', host: { host_id: host.hostId, name: 'mac' }, ends_at: /T/ },
  ]);
  await h.clock.advance(1);
  await h.signIn('developer');
  t.match(await pages('/organizations/apple-press/members'), [{ role: 'owner' }, { role: 'developer' }]);
  t.equal(await refused('/organizations/none/members'), '404 not_found');
  t.equal(await refused('/organizations/none/rentals'), '404 not_found');
  const changed = detail.limits.filter((one: { changed: boolean }) => one.changed);
  t.match(changed, [{ name: 'contents_bytes', option: 'contents_gb', value: 5 * 1024 ** 3 }]);
  t.equal(await refused('/organizations/none'), '404 not_found');

  const [paid] = (await read('/orders')).data;
  t.match(paid, { status: 'ready', kind: 'rental', units: 1, organization: { slug: 'apple-press' } });
  t.same((await read('/orders?org=other-mill')).data, []);
  t.same((await read('/orders?status=expired')).data, []);
  t.match(await read(`/orders/${paid.order_no}`), { rental_ids: [/^rt_/], refunds: [] });
  t.equal(await refused('/orders/RT-0'), '404 order_not_found');
  t.equal(await refused('/orders?org=none'), '404 not_found');

  await h.call('POST', '/waitlist', { key: h.other.key, body: { tier: 'm4', units: 1 } });
  t.match((await read('/waitlist?tier=m4')).data, [{ organization: { slug: 'other-mill' }, units: 1 }]);
  t.same((await read('/waitlist?tier=m9')).data, []);
  t.match(await read('/tiers'), { tiers: [{ tier: 'm4', slots: { free: 0, used: 1, unsellable: 0 } }] });
  t.same(await read('/images'), { images: [] });

  const made = (await run('host.enroll', { tier: 'm4', name: 'mac-9' })).json();
  const enrollment = await read('/enrollments');
  const token = enrollment.tokens.find(({ id }: { id: string }) => id === made.id);
  t.match(token, { state: 'valid', name: 'mac-9', used: 0 });
  t.equal(
    enrollment.install.with_token,
    'curl -fsSL http://cidermill.test/install/host-agent | sudo sh -s -- --token TOKEN',
  );
  t.notOk(JSON.stringify(enrollment).includes(made.token), 'a token is shown once');
});

t.test('orders say when their rentals begin, and when they have ended', async (t) => {
  const { h, read } = await start(t, { operator_session_idle_ms: 10 * DAY, session_idle_ms: 10 * DAY });
  const host = await addHost(h, 1);
  const begins = iso(h.clock.now() + HOUR);
  const { order_no } = await order(h, { start: begins });
  const times = async () => {
    const [listed] = (await read('/orders')).data;
    const { rentals_start_at, rentals_ended_at } = await read(`/orders/${order_no}`);
    t.match(listed, { rentals_start_at, rentals_ended_at });
    return { rentals_start_at, rentals_ended_at };
  };
  t.same(await times(), { rentals_start_at: null, rentals_ended_at: null }, 'it has no rentals');
  await pay(h, order_no);
  t.same(await times(), { rentals_start_at: begins, rentals_ended_at: null });
  await h.pass(HOUR);
  for (const rental of await host.rentalIds()) await host.mac(rental, 'ready');
  t.same(await times(), { rentals_start_at: null, rentals_ended_at: null });
  await h.pass(DAY);
  t.match(await times(), { rentals_start_at: null, rentals_ended_at: /T/ });
});

t.test('a refund of an operator is in the list until the provider has sent the money', async (t) => {
  const { h, read, pages, run } = await start(t);
  const host = await addHost(h, 1);
  await rent(h, host);
  const [{ order_no }] = (await read('/orders')).data;
  t.same((await read('/payments')).data, []);
  const other = await run('order.refund', { order_no, expect_won: 1 });
  t.match(other.json().error, { code: 'invalid_request', details: { fields: ['expect_won'] } });
  t.equal((await read(`/orders/${order_no}`)).refunded_won, 0, 'nothing was changed');
  const plan = (await run('order.plan-refund', { order_no })).json();
  await run('order.refund', { order_no, expect_won: plan.refunded_won });
  await h.workers.idle();
  t.match((await read('/audit?action=order.refund&failed=false')).data, [
    { target: order_no, org_slug: 'apple-press' },
  ]);
  const detail = await read(`/orders/${order_no}`);
  t.ok(detail.refunded_won > 0);
  t.match(detail.refunds, [{ kind: 'refund', reason: 'refunded_by_operator', order_no }]);
  const cancel = (status: string) =>
    h.store.run('UPDATE payment_cancellations SET status = :status, refusals = 5, last_error = :error', {
      status,
      error: 'CARD_EXPIRED',
    });
  await cancel('failed');
  await h.store.run(
    `INSERT INTO manual_settlements (id, kind, order_no, account_id, amount_won, created_at)
     SELECT cancellation_id, 'refused', order_no, account_id, amount_won, created_at FROM payment_cancellations`,
  );
  await h.store.run(
    `INSERT INTO payments (order_no, account_id, kind, provider, status, amount_won, fetch_at, created_at, updated_at)
     SELECT order_no, account_id, 'order', 'portone', 'confirming', amount_won, NULL, created_at - 1, created_at
     FROM orders WHERE true
     ON CONFLICT (order_no) DO UPDATE SET status = 'confirming', created_at = excluded.created_at`,
  );
  t.match(await pages('/payments'), [
    { kind: 'refund', status: 'failed', refusals: 5, error: 'CARD_EXPIRED', next_attempt_at: /^|null$/ },
    { kind: 'payment', status: 'confirming', order_no },
  ]);
  const [{ id }] = (await read('/payments')).data;
  t.match((await read(`/orders/${order_no}`)).settlements, [
    { id, kind: 'refused', settled_at: null, settled_by: null, note: null },
  ]);
  await run('payment.settle', { id, note: 'by bank transfer' });
  t.match(await pages('/payments'), [{ kind: 'payment' }]);
  const after = await read(`/orders/${order_no}`);
  t.match(after.refunds, [{ status: 'failed' }], 'what happened stays');
  const settled_at = new Date(h.clock.now()).toISOString();
  t.match(after.settlements, [{ id, kind: 'refused', settled_at, note: 'by bank transfer' }]);
  t.type(after.settlements[0].settled_by, 'string', 'the operator');
  await cancel('open');
  t.match(await pages('/payments'), [{ kind: 'refund' }, { kind: 'payment' }]);
  await cancel('succeeded');
  t.match(await pages('/payments'), [{ kind: 'payment' }]);
});

t.test('the audit log: filters, pages, and files that spreadsheets do not run', async (t) => {
  const { h, read, pages, send, refused, run } = await start(t, { audit_page_max: 2 });
  await run('org.suspend', { org: 'apple-press' });
  await h.clock.advance(HOUR / 2);
  const resumed = new Date(h.clock.now()).toISOString();
  await run('org.resume', { org: 'apple-press' });
  await run('org.resume', { org: 'none' });
  // A failure is written a moment later.
  await read('/audit');
  await h.auditLog.write(
    {
      actorKind: 'operator',
      actorId: '=cmd()',
      actorName: 'Ann, "root"',
      accountId: null,
      ip: null,
      action: 'host.drain',
      target: 'host_1',
    },
    'ok',
  );
  const actions = async (query: string) =>
    ((await pages(`/audit?${query}`)) as { action: string; result: string }[]).map(
      ({ action, result }) => `${action} ${result}`,
    );
  const organization = ['organization.resume not_found', 'organization.resume ok', 'organization.suspend ok'];
  t.same(await actions('action=organization'), organization);
  t.same(await actions('action=organization.resume'), organization.slice(0, 2));
  t.same(await actions('action=org'), []);
  t.same(await actions('org=apple-press'), organization.slice(1));
  t.same(await actions('actor=ops@example.com&failed=true'), organization.slice(0, 1));
  t.same(await actions('target=host_1'), ['host.drain ok']);
  t.same(await actions(`since=${resumed}&action=organization`), organization.slice(0, 2));
  t.same(await actions(`until=${resumed}&action=organization`), organization.slice(2));
  t.equal(await refused('/audit?cursor=1-x'), '400 invalid_request');

  const csv = await send('/audit?format=csv');
  t.match(csv.headers, { 'content-type': /^text\/csv/, 'content-disposition': /audit\.csv/ });
  const rows = csv.body.trimEnd().split('\n');
  t.equal(rows.length - 1, (await pages('/audit')).length, 'all pages');
  t.match(rows[1], /,operator,'=cmd\(\),"Ann, ""root""",,host\.drain,host_1,ok,1,$/);
  const jsonl = (await send('/audit?format=jsonl&action=organization')).body.trimEnd().split('\n');
  t.same(
    jsonl.map((line) => JSON.parse(line).result),
    ['not_found', 'ok', 'ok'],
  );
  t.match((await read('/audit?limit=1')).data[0], { actor: { kind: 'operator', name: 'Ann, "root"' } });
});

t.test('throughput: builds, waits, and the use of Macs and slots', async (t) => {
  const { h, read, refused } = await start(t);
  const host = await startBuildHost(h, { macs: 1, hours: 48 });
  await h.clock.advance(HOUR);
  const build = async () =>
    (await h.call('POST', '/builds', { body: { repo: 'a/b', script: 'make' } })).json().id as string;
  const [one, two] = [await build(), await build()];
  await h.workers.idle();
  await host.start();
  await h.clock.advance(30 * 60_000);
  await host.finish(one);
  await h.workers.idle();
  await host.start();
  await h.clock.advance(30 * 60_000);
  await host.finish(two, { outcome: 'exited', exit_code: 1 });
  const from = new Date(h.clock.now() - 2 * HOUR).toISOString();
  const { steps, step_s, wait_p95_s } = await read(`/throughput?from=${from}&step=3600`);
  t.equal(step_s, 3_600);
  t.equal(wait_p95_s, 1_800);
  t.match(steps, [
    { builds: 0, wait_p50_s: null, mac_use: 0, slot_use: 1 },
    { builds: 2, succeeded: 1, failed: 1, wait_p50_s: 0, wait_p95_s: 1_800, mac_use: 1, slot_use: 1 },
  ]);
  t.equal(await refused('/throughput?from=2026-01-01&to=2026-12-31'), '400 invalid_request');
  t.equal(await refused('/throughput?from=2026-02-01&to=2026-03-01&step=60'), '400 invalid_request');
});

t.test('open pages of operators hear of changes, until the person is no operator any more', async (t) => {
  const { h, cookie, run } = await start(t, { access_check_ms: 50 });
  const url = await h.server.listen({ port: 0, host: '127.0.0.1' });
  const answer = await fetch(`${url}/api/operator/v1/live`, { headers: { cookie } });
  t.match(answer.headers.get('content-type'), /^text\/event-stream/);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: RegExp | null) => {
    for (;;) {
      if (wanted?.test(text)) return;
      const read = await reader?.read();
      if (!read || read.done) return;
      text += read.value;
    }
  };
  await until(/^event: beat/);
  await run('org.create', { name: 'Third Mill' });
  await until(/event: change\ndata: .*"organizations"/);
  t.match(text, /"audit"/);
  await h.store.run(`UPDATE users SET operator = 0 WHERE email = 'ops@example.com'`, {});
  await until(null);
  t.pass('the stream has ended');
});

t.test('further reads: images, notices, users, and what belongs to an organization', async (t) => {
  const { h, read, refused } = await start(t);
  await putM4(h, { image: 'macos:26' });
  t.match(await read('/images/m4'), { tier: 'm4', image: 'macos:26', hosts: [] });
  t.equal(await refused('/images/m9'), '400 invalid_tier');
  const { noticeId } = await h.parts.operators.notices.test();
  t.match(await read('/notices'), { open: [], notices: [{ id: noticeId, kind: 'operator.test', resolved: false }] });
  t.match(await read(`/notices/${noticeId}`), { id: noticeId, announced: Boolean, webhook: { status: String } });
  t.equal(await refused('/notices/evt_none'), '404 not_found');
  for (const path of ['users', 'settlements', 'unreadable-secrets']) t.type(await read(`/${path}`), 'object', path);
  t.match(await read('/processes'), {
    processes: [{ process_id: /^cp_/, version: String, pid: process.pid, workers: true, connections: 0 }],
  });
  for (const of of ['workspaces', 'api-keys', 'credit'])
    t.type(await read(`/organizations/apple-press/${of}`), 'object', of);
});

t.test('every read has been called', async (t) => {
  const h = await startHarness(t);
  const reads = h.operator.routes.filter(
    ({ method, level, staysOpen }) => method === 'GET' && level !== null && !staysOpen,
  );
  const names = reads.map(({ path }) => `GET ${path.replace(/:(\w+)/g, '{$1}')} 200`);
  t.same(
    names.filter((name) => !called.has(name)),
    [],
  );
});
