// Webhooks through the HTTP API, with real receivers on sockets of this machine.
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { rotateKey } from '../../control-plane/admin/key-rotation.js';
import { createVault } from '../../control-plane/platform/app/vault.js';
import { openKeyFile } from '../../control-plane/platform/store/key-file.js';
import { startBuildHost } from '../harness/build-host.js';
import { type Harness, type HarnessOptions, START, startHarness } from '../harness/harness.js';
import { startReceiver as listen, type Received, type Receiver, signedBy } from '../harness/receiver.js';
import { code, HOUR, MINUTE, submit } from '../harness/submitting.js';
import { until } from '../harness/until.js';

const SECOND = 1000;

/** Everything that was sent in all of these tests. */
const sent: Received[] = [];
const startReceiver = (t: Test, answer?: Receiver['answer']) =>
  listen(t, answer, (received) => sent.push(received));

async function service(t: Test, macs = 1, options: HarnessOptions = {}) {
  const h = await startHarness(t, { receivers: true, ...options });
  return { h, host: await startBuildHost(h, { macs }) };
}

interface WebhookView {
  id: string;
  url: string;
  events: string[];
  status: string;
  disabled_reason: string | null;
  secret: string;
  test: { ok: boolean; http_status: number | null; error: string | null };
}

async function register(h: Harness, receiver: Receiver, body: object = {}): Promise<WebhookView> {
  const answer = await h.call('POST', '/webhooks', { body: { url: receiver.url, ...body } });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json();
}

const shown = async (h: Harness, id: string): Promise<WebhookView> =>
  (await h.call('GET', `/webhooks/${id}`)).json();
const deliveriesOf = async (h: Harness, id: string, query = '') =>
  (await h.call('GET', `/webhooks/${id}/deliveries${query}`)).json().deliveries;

async function passes(h: Harness, ms: number): Promise<void> {
  await h.clock.advance(ms);
  await h.workers.idle();
}

t.test(
  'a webhook is registered with a test, hears how a build goes, and is shown what was sent',
  async (t) => {
    const { h, host } = await service(t);
    const receiver = await startReceiver(t, () => ({
      status: 202,
      headers: { 'x-answer': 'yes' },
      body: 'thanks',
    }));
    const made = await h.call('POST', '/webhooks', { body: { url: receiver.url } });
    t.equal(made.statusCode, 201);
    const webhook: WebhookView = made.json();
    t.match(webhook, {
      id: /^wh_[0-9a-z]+$/,
      url: receiver.url,
      status: 'enabled',
      disabled_reason: null,
      created_at: new Date(h.clock.now()).toISOString(),
      secret: /^whsec_[\w-]{43}$/,
      test: { ok: true, http_status: 202, error: null },
    });
    t.same(webhook.events, [
      ...['build.succeeded', 'build.failed', 'build.cancelled', 'build.expired', 'build.stalled'],
    ]);
    const [test] = receiver.got;
    t.match(test?.body, { event_type: 'webhook.test', sequence: 0, build: null, stall: null });
    t.same(test && signedBy(webhook.secret, test), ['x-svc-signature']);

    const { id } = await submit(h, { commit: 'abcdef1', pr: 7, xcode: '16.1' });
    await host.start();
    await host.output(id, 'Größe\n');
    await passes(h, 90 * SECOND);
    await host.finish(id, { exit_code: 65, summary: 'Größe passt nicht ✗', reason_code: 'compile_error' });
    t.same(receiver.events(), ['3:build.failed'], 'only what it subscribed to; the numbers count all');
    const event = receiver.got[1];
    if (!event) throw new Error('no event came');
    const at = h.clock.now();
    t.match(event.headers, {
      'content-type': 'application/json',
      'x-svc-event': 'build.failed',
      'x-svc-event-id': event.body.event_id,
      'x-svc-delivery': /^dl_/,
      'x-svc-timestamp': String(Math.floor(at / 1000)),
      'x-svc-signature': /^sha256=[0-9a-f]{64}$/,
      'user-agent': /^Cidermill-Webhooks\//,
    });
    t.notOk('x-svc-signature-previous' in event.headers);
    t.same(signedBy(webhook.secret, event), ['x-svc-signature'], 'over the raw bytes');
    const { build, ...rest } = event.body;
    t.match(rest, {
      schema_version: 1,
      event_id: /^evt_[0-9a-z]+$/,
      event_type: 'build.failed',
      sequence: 3,
      occurred_at: new Date(at).toISOString(),
      stall: null,
    });
    const iso = (ms: number) => new Date(ms).toISOString();
    t.same(build, {
      id,
      status: 'failed',
      exit_code: 65,
      end_reason: 'exit_nonzero',
      repo: 'apple/swift',
      commit: 'abcdef1',
      commit_sha: null,
      pr: 7,
      xcode: '16.1',
      rental_id: host.rentals[0],
      created_at: iso(at - 90 * SECOND),
      started_at: iso(at - 90 * SECOND),
      ended_at: iso(at),
      queue_s: 0,
      run_s: 90,
      duration_s: 90,
      wait_reason: null,
      failure: { code: 'compile_error', fault: 'customer', summary: 'Größe passt nicht ✗' },
      log_url: `http://cidermill.test/api/v1/builds/${id}/log`,
      console_url: `http://cidermill.test/builds/${id}`,
    });

    const [delivery, ...others] = await deliveriesOf(h, webhook.id);
    t.equal(others.length, 0);
    t.match(delivery, {
      id: event.headers['x-svc-delivery'],
      event_id: event.body.event_id,
      event_type: 'build.failed',
      attempt: 1,
      status: 'delivered',
      http_status: 202,
      error: null,
      response: { headers: { 'x-answer': 'yes' }, body: 'thanks' },
      created_at: iso(at),
      delivered_at: iso(at),
      next_attempt_at: null,
    });
    t.equal(delivery.request.body, event.text);
    t.equal(delivery.request.headers['x-svc-signature'], event.headers['x-svc-signature']);
    const listed = (await h.call('GET', '/webhooks')).body;
    t.notMatch(listed, webhook.secret);
    t.notMatch((await h.call('GET', `/webhooks/${webhook.id}`)).body, 'whsec_');
    const stored = await h.store.all<{ secret: Buffer }>('SELECT secret FROM webhooks');
    t.notOk(
      stored.some(({ secret }) => secret.includes(webhook.secret.slice(6))),
      'sealed at rest',
    );
  },
);

t.test('each kind of event reaches those who list it, in the order of its numbers', async (t) => {
  const { h, host } = await service(t);
  const all = await startReceiver(t);
  const some = await startReceiver(t);
  const terminal = await startReceiver(t);
  const every = [
    ...[
      'build.completed',
      'build.queued',
      'build.started',
      'build.stalled',
      'build.succeeded',
      'build.failed',
    ],
    ...['build.cancelled', 'build.expired', 'build.queued'],
  ];
  t.same((await register(h, all, { events: every })).events.length, 8, 'each once');
  await register(h, some, { events: ['build.completed', 'build.started'] });
  await register(h, terminal);
  const clear = () => {
    for (const receiver of [all, some, terminal]) receiver.got.length = 0;
  };

  const { id } = await submit(h);
  await host.start();
  await host.finish(id);
  t.same(all.events(), ['1:build.queued', '2:build.started', '3:build.succeeded', '4:build.completed']);
  t.same(some.events(), ['2:build.started', '4:build.completed']);
  t.same(terminal.events(), ['3:build.succeeded']);
  const ids = [...all.got, ...some.got, ...terminal.got].map(
    ({ body }) => `${body.sequence} ${body.event_id}`,
  );
  t.equal(
    new Set(ids.filter((text) => !text.startsWith('0'))).size,
    4,
    'an event has the same id for every receiver',
  );

  clear();
  const running = await submit(h);
  const waiting = await submit(h);
  await host.start();
  await h.call('POST', `/builds/${waiting.id}/cancel`);
  await h.workers.idle();
  t.same(terminal.events(), ['2:build.cancelled'], 'a build that never started');

  clear();
  const late = await submit(h);
  await passes(h, 10 * MINUTE);
  t.same(terminal.events(), ['3:build.stalled'], 'no output');
  t.match(terminal.got[0]?.body, {
    build: { id: running.id, status: 'running' },
    stall: { reason: 'no_log_output', threshold_s: 600, last_output_at: null },
  });
  await passes(h, 5 * MINUTE);
  t.same(terminal.events(), ['3:build.stalled', '2:build.stalled'], 'queued too long');
  t.match(terminal.got[1]?.body, {
    build: { id: late.id, status: 'queued', wait_reason: 'mac_busy' },
    stall: { reason: 'queued_too_long', threshold_s: 900 },
  });
  await passes(h, 5 * HOUR);
  t.equal(
    terminal.events().filter((text) => text.endsWith('stalled')).length,
    2,
    'once per build and reason',
  );

  clear();
  await passes(h, 19 * HOUR);
  t.match(terminal.got.at(-1)?.body, {
    event_type: 'build.expired',
    build: { id: late.id, status: 'expired' },
  });
});

t.test(
  'notify_url hears of its own build only: its stalls and its end, signed with its secret',
  async (t) => {
    const { h, host } = await service(t);
    const receiver = await startReceiver(t);
    const answer = await h.call('POST', '/builds', {
      body: { script: 'x', repo: 'apple/swift', notify_url: receiver.url },
    });
    const { id, notify } = answer.json();
    await h.workers.idle();
    const other = await submit(h);
    await host.start();
    await passes(h, 10 * MINUTE);
    await host.finish(id);
    await host.start();
    await host.finish(other.id);
    t.same(receiver.events(), ['3:build.stalled', '4:build.succeeded']);
    for (const received of receiver.got) t.same(signedBy(notify.secret, received), ['x-svc-signature']);
  },
);

t.test('what POST and PATCH /webhooks refuse', async (t) => {
  const { h } = await service(t);
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver);
  const bodies: [string, unknown][] = [
    ['nothing', {}],
    ['url of the wrong type', { url: 7 }],
    ['no URL', { url: 'hooks' }],
    ['http', { url: 'http://hooks.example.com/x' }],
    ['private', { url: 'https://10.0.0.1/x' }],
    ['metadata', { url: 'http://169.254.169.254/latest' }],
    ['Azure', { url: 'https://168.63.129.16/' }],
    ['*.localhost', { url: 'http://a.localhost/x' }],
    ['user name', { url: 'https://u@hooks.example.com/x' }],
    ['unknown host', { url: 'https://nowhere.example.com/x' }],
    ['too long', { url: `https://hooks.example.com/${'x'.repeat(2048)}` }],
    ['unknown event', { url: receiver.url, events: ['build.exploded'] }],
    ['no event', { url: receiver.url, events: [] }],
    ['events of the wrong type', { url: receiver.url, events: 'build.failed' }],
    ['null events', { url: receiver.url, events: null }],
  ];
  for (const [name, body] of bodies) {
    const answer = await h.call('POST', '/webhooks', { body });
    t.equal(answer.statusCode, 400, name);
    t.equal(code(answer), 'invalid_webhook', name);
    if (name === 'nothing') continue;
    t.equal(code(await h.call('PATCH', `/webhooks/${id}`, { body })), 'invalid_webhook', `PATCH: ${name}`);
  }
  for (const body of [{}, { status: 'paused' }, { secret: 'x' }]) {
    t.equal(code(await h.call('PATCH', `/webhooks/${id}`, { body })), 'invalid_webhook');
  }
  for (const body of [{ grace_s: -1 }, { grace_s: 1.5 }, { grace_s: '1' }, { grace_s: 8 * 86_400 }]) {
    t.equal(code(await h.call('POST', `/webhooks/${id}/rotate`, { body })), 'invalid_webhook');
  }
  for (const since of ['yesterday', '', 7, null]) {
    t.equal(code(await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since } })), 'invalid_time');
  }
  t.equal(
    code(
      await h.call('POST', '/builds', {
        body: { script: 'x', repo: 'a/b', notify_url: 'https://nowhere.example.com/x' },
      }),
    ),
    'invalid_webhook',
    'notify_url: a host that does not resolve',
  );
  t.equal(receiver.got.length, 1, 'nothing was sent but the first test');
});

t.test('an account has five webhooks and no more; another one sees and touches none of them', async (t) => {
  const { h } = await service(t);
  const receiver = await startReceiver(t);
  const answers = await Promise.all(
    Array.from({ length: 7 }, () => h.call('POST', '/webhooks', { body: { url: receiver.url } })),
  );
  t.equal(answers.filter((answer) => answer.statusCode === 201).length, 5, 'at the same time too');
  const sixth = await h.call('POST', '/webhooks', { body: { url: receiver.url } });
  t.equal(sixth.statusCode, 409);
  t.equal(code(sixth), 'webhooks_limit');
  const { id } = answers.find((answer) => answer.statusCode === 201)?.json() ?? { id: '' };
  const paths = [
    ...[
      ['GET', ''],
      ['PATCH', '', { events: ['build.failed'] }],
      ['DELETE', ''],
      ['POST', '/test'],
      ['POST', '/rotate', {}],
    ],
    ...[
      ['GET', '/deliveries'],
      ['POST', '/redeliver', { since: '2026-01-01' }],
    ],
    ['POST', '/deliveries/dl_x/redeliver'],
  ] as [string, string, object?][];
  for (const [method, path, body] of paths) {
    const options = body ? { body } : {};
    const foreign = await h.call(method, `/webhooks/${id}${path}`, { ...options, key: h.other.key });
    const unknown = await h.call(method, `/webhooks/wh_none${path}`, options);
    t.equal(code(foreign), 'webhook_not_found', `${method} ${path}`);
    t.same({ ...foreign.json().error, request_id: 0 }, { ...unknown.json().error, request_id: 0 });
    const key = method === 'GET' ? h.keys.manage : h.keys.read;
    const refused = method === 'GET' ? 'api_key_write_only' : 'api_key_read_only';
    t.equal(code(await h.call(method, `/webhooks/${id}${path}`, { ...options, key })), refused);
  }
  t.same((await h.call('GET', '/webhooks', { key: h.other.key })).json(), { webhooks: [] });
  const once = { headers: { 'idempotency-key': 'once' } };
  t.same((await h.call('DELETE', `/webhooks/${id}`, once)).json(), { id, deleted: true });
  t.same((await h.call('DELETE', `/webhooks/${id}`, once)).json(), { id, deleted: true }, 'a repeat is none');
  t.equal((await h.call('POST', '/webhooks', { body: { url: receiver.url } })).statusCode, 201, 'room again');
});

t.test(
  'a webhook whose test fails is kept disabled, hears nothing, and is enabled by a test that succeeds',
  async (t) => {
    const { h, host } = await service(t);
    const receiver = await startReceiver(t, () => ({ status: 401 }));
    const webhook = await register(h, receiver);
    t.match(webhook, {
      status: 'disabled',
      disabled_reason: 'test_failed',
      test: { ok: false, http_status: 401, error: 'answered 401' },
    });
    const { id } = await submit(h);
    await host.start();
    await host.finish(id);
    t.same(receiver.events(), []);
    t.match((await h.call('POST', `/webhooks/${webhook.id}/test`)).json(), { status: 'disabled' });
    receiver.answer = () => ({ status: 302, headers: { location: receiver.url } });
    t.match((await h.call('POST', `/webhooks/${webhook.id}/test`)).json(), {
      test: { ok: false, http_status: 302 },
    });
    t.equal(
      code(await h.call('POST', `/webhooks/${webhook.id}/redeliver`, { body: { since: '2026-01-01' } })),
      'invalid_webhook',
    );
    receiver.answer = () => ({ status: 204 });
    const enabled = (await h.call('POST', `/webhooks/${webhook.id}/test`)).json();
    t.match(enabled, { status: 'enabled', disabled_reason: null, test: { ok: true, http_status: 204 } });
    receiver.answer = () => ({ status: 500 });
    t.match((await h.call('POST', `/webhooks/${webhook.id}/test`)).json(), {
      status: 'enabled',
      test: { ok: false },
    });
    const dead = await register(h, { ...receiver, url: 'http://127.0.0.1:1/' });
    t.match(dead, { status: 'disabled', test: { ok: false, http_status: null, error: /ECONNREFUSED/ } });
    receiver.answer = () => ({ status: 200 });
    const since = new Date(START).toISOString();
    t.match((await h.call('POST', `/webhooks/${webhook.id}/redeliver`, { body: { since } })).json(), {
      redelivered: 1,
    });
    await h.workers.idle();
    t.same(receiver.events(), ['3:build.succeeded'], 'what it missed while it was disabled');
  },
);

t.test('a webhook is moved, narrowed, stopped and removed', async (t) => {
  const { h, host } = await service(t);
  const first = await startReceiver(t);
  const second = await startReceiver(t, () => ({ status: 500 }));
  const { id } = await register(h, first);
  const patch = async (body: object) => (await h.call('PATCH', `/webhooks/${id}`, { body })).json();
  t.match(await patch({ events: ['build.failed'] }), {
    events: ['build.failed'],
    status: 'enabled',
    url: first.url,
  });
  t.equal(first.got.length, 1, 'that needs no test');
  t.match(await patch({ url: second.url }), {
    url: second.url,
    status: 'disabled',
    disabled_reason: 'test_failed',
  });
  second.answer = () => ({ status: 200 });
  t.match(await patch({ status: 'enabled', events: ['build.succeeded'] }), { status: 'enabled' });
  t.match(await patch({ status: 'disabled' }), { status: 'disabled', disabled_reason: 'by_request' });
  await patch({ status: 'enabled' });
  const run = async () => {
    const build = await submit(h);
    await host.start();
    await host.finish(build.id);
  };
  await run();
  t.same([first.events(), second.events()], [[], ['3:build.succeeded']]);
  second.answer = () => ({ status: 500 });
  await run();
  t.match(await deliveriesOf(h, id, '?status=pending'), [{ attempt: 1, http_status: 500 }]);
  await patch({ status: 'disabled' });
  t.match(await deliveriesOf(h, id, '?limit=1'), [{ status: 'failed', error: 'the webhook was disabled' }]);
  await h.call('DELETE', `/webhooks/${id}`);
  t.equal(code(await h.call('GET', `/webhooks/${id}`)), 'webhook_not_found');
  const count = second.got.length;
  await run();
  await passes(h, HOUR);
  t.equal(second.got.length, count);
});

t.test(
  'the schedule: six attempts, 10 s, 30 s, 2 min, 10 min and 30 min after the end of the one before',
  async (t) => {
    const h = await startHarness(t, { receivers: true });
    const receiver = await startReceiver(t);
    const { id, secret } = await register(h, receiver, { events: ['build.cancelled'] });
    receiver.answer = () => ({ status: 503 });
    const cancel = async () => {
      const build = await submit(h, { queue_until_rental: true });
      await h.call('POST', `/builds/${build.id}/cancel`);
      await h.workers.idle();
    };
    await cancel();
    const attempts = () => receiver.events().length;
    t.equal(attempts(), 1);
    for (const [index, gap] of [10, 30, 120, 600, 1800].entries()) {
      const [waiting] = await deliveriesOf(h, id);
      t.match(waiting, { status: 'pending', attempt: index + 1, http_status: 503, error: 'answered 503' });
      t.equal(Date.parse(waiting.next_attempt_at), h.clock.now() + gap * SECOND);
      await passes(h, gap * SECOND - 1);
      t.equal(attempts(), index + 1, `not before ${gap} s`);
      await passes(h, 1);
      t.equal(attempts(), index + 2, `after ${gap} s`);
    }
    t.match(await deliveriesOf(h, id), [{ status: 'failed', attempt: 6, next_attempt_at: null }]);
    await passes(h, 2 * HOUR);
    t.equal(attempts(), 6);
    const sent = receiver.got.slice(1);
    t.equal(new Set(sent.map(({ body }) => body.event_id)).size, 1, 'one event');
    t.equal(new Set(sent.map(({ headers }) => headers['x-svc-delivery'])).size, 1, 'one delivery');
    t.equal(new Set(sent.map(({ headers }) => headers['x-svc-timestamp'])).size, 6, 'each signed afresh');
    for (const received of sent) t.same(signedBy(secret, received), ['x-svc-signature']);
    t.equal((await shown(h, id)).status, 'enabled', 'failures do not disable');
  },
);

t.test('a delivery that becomes due while others are sent is sent too', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receivers = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
  for (const receiver of receivers) {
    await register(h, receiver, { events: ['build.cancelled'] });
    receiver.answer = () => ({ status: 500 });
    const build = await submit(h, { queue_until_rental: true });
    await h.call('POST', `/builds/${build.id}/cancel`);
    await passes(h, 3);
  }
  await passes(h, 10 * SECOND);
  t.same(
    receivers.map((receiver) => receiver.events().length),
    [6, 4, 2],
    'each of them had its second attempt in one move of the clock',
  );
});

t.test('which answers are tried again, and when', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  const real = Date.now();
  const table: [number, Record<string, string>, number | null][] = [
    ...[201, 204, 299].map((status): [number, Record<string, string>, null] => [status, {}, null]),
    ...[301, 307, 400, 401, 403, 404, 408, 413, 422].map((status): [number, Record<string, string>, null] => [
      status,
      {},
      null,
    ]),
    [500, {}, 10],
    [502, {}, 10],
    [599, {}, 10],
    [429, {}, 10],
    [429, { 'retry-after': '5' }, 10],
    [429, { 'retry-after': '90' }, 90],
    [503, { 'retry-after': '3600' }, 3600],
    [503, { 'retry-after': '3601' }, 3600],
    [503, { 'retry-after': '99999999999' }, 3600],
    [503, { 'retry-after': '-1' }, 10],
    [503, { 'retry-after': 'soon' }, 10],
    [503, { 'retry-after': new Date(real - 60_000).toUTCString() }, 10],
    [503, { 'retry-after': new Date(real + 90_000_000).toUTCString() }, 3600],
    [404, { 'retry-after': '60' }, null],
  ];
  for (const [status, headers, gap] of table) {
    receiver.answer = () => ({ status, headers });
    const build = await submit(h, { queue_until_rental: true });
    await h.call('POST', `/builds/${build.id}/cancel`);
    await h.workers.idle();
    const [delivery] = await deliveriesOf(h, id);
    const name = `${status} ${JSON.stringify(headers)}`;
    const expected = gap !== null ? 'pending' : status < 300 ? 'delivered' : 'failed';
    t.equal(delivery.status, expected, name);
    const at = gap === null ? null : h.clock.now() + gap * SECOND;
    t.equal(delivery.next_attempt_at && Date.parse(delivery.next_attempt_at), at, name);
    t.equal(delivery.error, status < 300 ? null : `answered ${status}`);
  }
});

t.test(
  '410 disables a webhook and ends what was on its way to it; a build’s own receiver is left alone too',
  async (t) => {
    const { h, host } = await service(t);
    const receiver = await startReceiver(t);
    const { id } = await register(h, receiver, {
      events: ['build.queued', 'build.started', 'build.succeeded'],
    });
    receiver.answer = () => ({ status: 500 });
    const build = await submit(h);
    await host.start();
    receiver.answer = () => ({ status: 410 });
    await passes(h, 10 * SECOND);
    t.match(await shown(h, id), { status: 'disabled', disabled_reason: 'gone' });
    t.match(await deliveriesOf(h, id), [
      { event_type: 'build.started', status: 'failed', attempt: 1, error: 'the receiver answered 410' },
      { event_type: 'build.queued', status: 'failed', attempt: 2, http_status: 410 },
    ]);
    await host.finish(build.id);
    await passes(h, HOUR);
    t.equal(receiver.events().length, 3);

    const own = await startReceiver(t, () => ({ status: 410 }));
    const second = await submit(h, { notify_url: own.url });
    await host.start();
    await passes(h, 10 * MINUTE);
    await host.finish(second.id);
    t.same(own.events(), ['3:build.stalled'], 'nothing after it said that it is gone');
  },
);

t.test('410 of an address that the webhook has left meanwhile does not disable it', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const old = await startReceiver(t);
  const next = await startReceiver(t);
  const { id } = await register(h, old, { events: ['build.cancelled'] });
  let answer: (answer: { status: number }) => void = () => undefined;
  old.answer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const build = await submit(h, { queue_until_rental: true });
  const cancelled = h.call('POST', `/builds/${build.id}/cancel`);
  await until(() => old.events().length === 1, 'the attempt is under way');
  await cancelled;
  t.match((await h.call('PATCH', `/webhooks/${id}`, { body: { url: next.url } })).json(), {
    status: 'enabled',
  });
  answer({ status: 410 });
  await h.workers.idle();
  t.match(await deliveriesOf(h, id), [{ status: 'failed', http_status: 410 }]);
  t.match(await shown(h, id), { status: 'enabled', url: next.url });
});

t.test('the events of one build are tried in order; none waits for the retries of another', async (t) => {
  const { h, host } = await service(t, 2);
  const receiver = await startReceiver(t);
  await register(h, receiver, {
    events: ['build.queued', 'build.started', 'build.succeeded', 'build.completed'],
  });
  const first = await submit(h);
  receiver.got.length = 0;
  receiver.answer = ({ body }) => ({ status: body.build?.id === first.id ? 500 : 200 });
  await host.start();
  await host.finish(first.id);
  const second = await submit(h);
  await host.start();
  await host.finish(second.id);
  const ofBuild = (id: string) =>
    receiver.got.filter(({ body }) => body.build?.id === id).map(({ body }) => body.sequence);
  t.same(ofBuild(second.id), [1, 2, 3, 4]);
  t.same(ofBuild(first.id), [3, 4], 'the fourth waits for the first attempt of the third only');
  await passes(h, 10 * SECOND);
  receiver.answer = () => ({ status: 200 });
  await passes(h, 30 * SECOND);
  t.same(ofBuild(first.id), [3, 4, 3, 4, 3, 4]);

  // While a first attempt is under way, what comes later waits for its end, whatever that is.
  let answer: (status: number) => void = () => undefined;
  const asked = new Promise<string>((resolve) => {
    receiver.answer = ({ body }) => {
      if (body.sequence !== 2) return { status: 200 };
      resolve(String(body.build?.id));
      return new Promise((settle) => {
        answer = (status) => settle({ status });
      });
    };
  });
  const submitted = submit(h);
  const id = await asked;
  const ended = host.finish(id);
  const rows = () => h.store.all('SELECT 1 FROM deliveries WHERE build_id = :id', { id });
  await until(async () => (await rows()).length === 4, 'its end is to be sent');
  t.same(ofBuild(id), [1, 2]);
  receiver.answer = () => ({ status: 200 });
  answer(503);
  await Promise.all([submitted, ended]);
  t.same(ofBuild(id), [1, 2, 3, 4], 'the second failed, and is tried again later');
  await passes(h, 10 * SECOND);
  t.same(ofBuild(id), [1, 2, 3, 4, 2]);
});

t.test('a rotated secret: both sign for a time of grace, then only the new one', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const webhook = await register(h, receiver);
  const rotate = async (body?: object): Promise<WebhookView> =>
    (await h.call('POST', `/webhooks/${webhook.id}/rotate`, body ? { body } : {})).json();
  const signatures = async (...secrets: string[]) => {
    await h.call('POST', `/webhooks/${webhook.id}/test`);
    const last = receiver.got.at(-1);
    return last ? secrets.map((secret) => signedBy(secret, last).join()) : [];
  };
  const second = (await rotate()).secret;
  t.match(second, /^whsec_/);
  t.not(second, webhook.secret);
  t.same(await signatures(second, webhook.secret), ['x-svc-signature', 'x-svc-signature-previous']);
  await passes(h, 24 * HOUR - 1);
  t.same(await signatures(webhook.secret), ['x-svc-signature-previous'], 'a day by default');
  await passes(h, 1);
  t.same(await signatures(second, webhook.secret), ['x-svc-signature', '']);
  const third = (await rotate({ grace_s: 60 })).secret;
  const fourth = (await rotate({ grace_s: 60 })).secret;
  t.same(
    await signatures(fourth, third, second),
    ['x-svc-signature', 'x-svc-signature-previous', ''],
    'two at most',
  );
  const fifth = (await rotate({ grace_s: 0 })).secret;
  t.same(await signatures(fifth, fourth), ['x-svc-signature', '']);
  t.notOk('x-svc-signature-previous' in (receiver.got.at(-1)?.headers ?? {}));

  const twice = () =>
    h.call('POST', `/webhooks/${webhook.id}/rotate`, { body: {}, headers: { 'idempotency-key': 'once' } });
  t.equal((await twice()).body, (await twice()).body, 'a repeated request gets the same secret again');
  const register2 = () =>
    h.call('POST', '/webhooks', { body: { url: receiver.url }, headers: { 'idempotency-key': 'new' } });
  const count = receiver.got.length;
  t.equal((await register2()).json().id, (await register2()).json().id);
  t.equal(receiver.got.length, count + 1, 'one test');
});

t.test('a rotated sealing key takes the signing secrets along', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const { id, secret } = await register(h, receiver);
  const next = (await h.call('POST', `/webhooks/${id}/rotate`, { body: {} })).json().secret;
  const keys = openKeyFile(join(h.data, 'secret.key'));
  for (const resealed of [2, 2]) {
    t.equal((await rotateKey({ store: h.store, keys, vault: createVault(keys) })).resealed, resealed);
  }
  await h.call('POST', `/webhooks/${id}/test`);
  const last = receiver.got.at(-1);
  t.same(last && [signedBy(next, last), signedBy(secret, last)], [
    ['x-svc-signature'],
    ['x-svc-signature-previous'],
  ]);
});

t.test('deliveries are listed in pages and sent again, one or all since a moment', async (t) => {
  const { h, host } = await service(t);
  const receiver = await startReceiver(t, () => ({ status: 200, body: 'ä'.repeat(5000) }));
  const { id } = await register(h, receiver);
  const builds: string[] = [];
  for (let i = 0; i < 5; i++) {
    const build = await submit(h);
    builds.push(build.id);
    await host.start();
    await passes(h, MINUTE);
    await host.finish(build.id);
  }
  const pages: string[] = [];
  for (let before = ''; ; ) {
    const page = (await h.call('GET', `/webhooks/${id}/deliveries?limit=2${before}`)).json();
    pages.push(page.deliveries.length);
    if (page.next_before === null) break;
    before = `&before=${page.next_before}`;
  }
  t.same(pages, [2, 2, 1]);
  t.equal(code(await h.call('GET', `/webhooks/${id}/deliveries?before=dl_none`)), 'delivery_not_found');
  t.equal(code(await h.call('GET', `/webhooks/${id}/deliveries?limit=0`)), 'invalid_query');
  const all = await deliveriesOf(h, id);
  t.equal(Buffer.byteLength(all[0].response.body), 4096, 'the first 4 KiB of an answer');
  receiver.got.length = 0;
  const again = await h.call('POST', `/webhooks/${id}/deliveries/${all[4].id}/redeliver`);
  t.equal(again.statusCode, 202);
  t.match(again.json(), { id: all[4].id, status: 'pending', attempt: 1 });
  await h.workers.idle();
  t.match(receiver.got, [{ headers: { 'x-svc-delivery': all[4].id }, body: { event_id: all[4].event_id } }]);
  t.match((await deliveriesOf(h, id))[4], { status: 'delivered', attempt: 2 });
  t.equal(code(await h.call('POST', `/webhooks/${id}/deliveries/dl_none/redeliver`)), 'delivery_not_found');

  receiver.got.length = 0;
  const since = all[2].created_at;
  const answer = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since } });
  t.match([answer.statusCode, answer.json()], [202, { redelivered: 3 }]);
  await h.workers.idle();
  t.same(receiver.got.map(({ body }) => body.build?.id).sort(), builds.slice(2).sort());
  const failed = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since, status: 'failed' } });
  t.match(failed.json(), { redelivered: 0 });
});

const EVENTS_GO = { builds_kept_ms: HOUR, upload_used_ms: HOUR, idempotency_ms: HOUR };

t.test('old deliveries are deleted first, then events together with their build', async (t) => {
  const limits = { ...EVENTS_GO, webhook_deliveries_kept_ms: HOUR };
  const { h, host } = await service(t, 1, { limits });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver);
  const build = await submit(h);
  await host.start();
  await host.finish(build.id);
  await passes(h, HOUR);
  t.equal((await deliveriesOf(h, id)).length, 1);
  await passes(h, HOUR);
  t.same(await deliveriesOf(h, id), []);
  await passes(h, HOUR);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('an event that is still on its way is kept until it has arrived, however old', async (t) => {
  const h = await startHarness(t, {
    receivers: true,
    limits: {
      webhook_deliveries_kept_ms: MINUTE,
      builds_kept_ms: MINUTE,
      upload_used_ms: 0,
      idempotency_ms: 0,
    },
  });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  receiver.answer = () => ({ status: 503 });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await passes(h, 5 * MINUTE);
  t.match(await deliveriesOf(h, id), [{ status: 'pending' }]);
  receiver.answer = () => ({ status: 200 });
  await passes(h, 8 * MINUTE);
  t.match(receiver.got.at(-1)?.body, { event_type: 'build.cancelled', build: { id: build.id } });
  await passes(h, MINUTE);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('what is shown can be sent again: an event goes after the last of its deliveries', async (t) => {
  const limits = { ...EVENTS_GO, builds_kept_ms: 2 * HOUR, webhook_deliveries_kept_ms: 2 * HOUR };
  const h = await startHarness(t, { receivers: true, limits });
  const receiver = await startReceiver(t);
  const { id } = await register(h, receiver, { events: ['build.cancelled'] });
  await h.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await passes(h, 90 * MINUTE);
  await h.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } });
  const since = new Date(START).toISOString();
  const answer = await h.call('POST', `/webhooks/${id}/redeliver`, { body: { since } });
  t.match(answer.json(), { redelivered: 1 });
  await passes(h, 90 * MINUTE);
  const [delivery] = await deliveriesOf(h, id);
  t.match(JSON.parse(delivery.request.body), { build: { id: build.id } });
  await h.call('POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`);
  await h.workers.idle();
  t.match(await deliveriesOf(h, id), [{ status: 'delivered', attempt: 2 }]);
  t.match(
    await h.store.get('SELECT COUNT(*) AS n FROM events'),
    { n: 3 },
    'events are deleted with the build',
  );
  await passes(h, 2 * HOUR);
  t.same(await deliveriesOf(h, id), []);
  await passes(h, HOUR);
  t.match(await h.store.get('SELECT COUNT(*) AS n FROM events'), { n: 0 });
});

t.test('an operator sees how many deliveries wait, for how long, and how attempts end', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const receiver = await startReceiver(t);
  const other = await startReceiver(t);
  await register(h, receiver, { events: ['build.queued', 'build.cancelled'] });
  await register(h, other, { events: ['build.cancelled'] });
  const metrics = async () => {
    const { body } = await h.server.inject('/metrics');
    return body
      .split('\n')
      .filter((row) => /^cidermill_deliver/.test(row))
      .map((row) => row.replace('cidermill_deliver', ''));
  };
  t.same((await metrics()).slice(0, 3), ['ies_waiting 0', 'y_oldest_seconds 0', 'y_overdue_seconds 0']);
  receiver.answer = () => ({ status: 500 });
  const build = await submit(h, { queue_until_rental: true });
  await h.call('POST', `/builds/${build.id}/cancel`);
  await h.workers.idle();
  await passes(h, 5 * SECOND);
  t.same(await metrics(), [
    ...['ies_waiting 2', 'y_oldest_seconds 5', 'y_overdue_seconds 0'],
    ...['delivered', 'again', 'failed'].map((end, at) => `y_attempts_total{end="${end}"} ${[1, 2, 0][at]}`),
  ]);
  receiver.answer = () => ({ status: 400 });
  await passes(h, 5 * SECOND);
  t.same(await metrics(), [
    ...['ies_waiting 0', 'y_oldest_seconds 0', 'y_overdue_seconds 0'],
    ...['delivered', 'again', 'failed'].map((end, at) => `y_attempts_total{end="${end}"} ${[1, 2, 2][at]}`),
  ]);
  const { body } = await h.server.inject('/metrics');
  t.match(body, '# TYPE cidermill_delivery_attempts_total counter');
});

t.test('everything that was sent is as the reference says, and every kind was sent', async (t) => {
  const h = await startHarness(t);
  const document = (await h.inject({ url: '/api/v1/openapi.json' })).json();
  const wrong = sent.map(({ headers, text }) => h.agent.conformance.checkWebhook(headers, text));
  t.same(
    wrong.filter((one) => one !== null),
    [],
  );
  const kinds = new Set(sent.map(({ headers }) => headers['x-svc-event']));
  t.same([...kinds].sort(), Object.keys(document.webhooks).sort());

  const [one] = sent.filter(({ body }) => body.event_type === 'build.failed');
  if (!one) throw new Error('no event');
  const bent = (change: object) => JSON.stringify({ ...one.body, ...change });
  for (const [headers, text, complaint] of [
    [{ ...one.headers, 'x-svc-event': 'build.succeeded' }, one.text, /event_type/],
    [{ ...one.headers, 'x-svc-signature': 'sha256=' }, one.text, /x-svc-signature/],
    [{ ...one.headers, 'x-svc-delivery': undefined }, one.text, /x-svc-delivery is missing/],
    [one.headers, bent({ stall: {} }), /stall/],
    [one.headers, bent({ occurred_at: 'today' }), /occurred_at/],
    [one.headers, bent({ extra: 1 }), /additional/],
  ] as const) {
    t.match(h.agent.conformance.checkWebhook(headers, text), complaint, 'the check sees what is wrong');
  }
});
