// Webhooks through the HTTP API, with real receivers on sockets of this machine: which events reach whom.
import t from 'tap';
import { startHarness } from '../harness/harness.js';
import { signedBy } from '../harness/receiver.js';
import { HOUR, MINUTE, submit } from '../harness/submitting.js';
import {
  checkSent,
  deliveriesOf,
  passes,
  register,
  sent,
  service,
  startReceiver,
  type WebhookView,
} from './webhook-rig.js';

const SECOND = 1000;

t.test('a webhook is registered with a test, hears how a build goes, and is shown what was sent', async (t) => {
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
  t.same(webhook.events, ['build.succeeded', 'build.failed', 'build.cancelled', 'build.expired', 'build.stalled']);
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
    rental_name: 'Mac 1',
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
});

t.test('each kind of event reaches those who list it, in the order of its numbers', async (t) => {
  const { h, host } = await service(t);
  const all = await startReceiver(t);
  const some = await startReceiver(t);
  const terminal = await startReceiver(t);
  const every = [
    'build.completed',
    'build.queued',
    'build.started',
    'build.stalled',
    'build.succeeded',
    'build.failed',
    'build.cancelled',
    'build.expired',
    'build.queued',
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
  const ids = [...all.got, ...some.got, ...terminal.got].map(({ body }) => `${body.sequence} ${body.event_id}`);
  t.equal(new Set(ids.filter((text) => !text.startsWith('0'))).size, 4, 'an event has the same id for every receiver');

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
  t.equal(terminal.events().filter((text) => text.endsWith('stalled')).length, 2, 'once per build and reason');

  clear();
  await passes(h, 19 * HOUR);
  t.match(terminal.got.at(-1)?.body, {
    event_type: 'build.expired',
    build: { id: late.id, status: 'expired' },
  });
});

t.test('notify_url hears of its own build only: its stalls and its end, signed with its secret', async (t) => {
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
});

t.test('everything that was sent is as the reference says, and every kind about builds was sent', async (t) => {
  const h = await startHarness(t);
  const document = (await h.inject({ url: '/api/v1/openapi.json' })).json();
  await checkSent(t, h);
  const kinds = new Set(sent.map(({ headers }) => headers['x-svc-event']));
  const documented = Object.keys(document.webhooks).filter((kind) => /^(build|webhook)\./.test(kind));
  t.same([...kinds].sort(), documented.sort());

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
    t.match(h.api.conformance.checkWebhook(headers, text), complaint, 'the check sees what is wrong');
  }
});
