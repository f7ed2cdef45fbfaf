// Webhooks are registered, tested, changed and removed; what is refused.
import t from 'tap';
import { START, startHarness } from '../harness/harness.js';
import { code, HOUR, submit } from '../harness/submitting.js';
import { checkSent, deliveriesOf, passes, register, service, startReceiver } from './webhook-rig.js';

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

t.test('an account may have five webhooks; another account’s list has none of them', async (t) => {
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
      test: {
        ok: false,
        http_status: 401,
        error: 'answered 401',
        error_message: { code: 'answered', params: { status: 401 }, text: 'answered 401' },
      },
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
  t.match(await deliveriesOf(h, id, '?limit=1'), [
    { status: 'failed', error: 'the webhook was disabled', error_message: { code: 'webhook_disabled' } },
  ]);
  await h.store.transaction(async (tx) => {
    await tx.run("UPDATE deliveries SET error = 'as it was', error_message = NULL");
    await tx.run(`UPDATE webhooks SET test = '{"ok":false,"httpStatus":null,"error":"as it was"}'`);
  });
  const asItWas = { error: 'as it was', error_message: { code: null, params: {}, text: 'as it was' } };
  t.match(await deliveriesOf(h, id, '?limit=1'), [asItWas], 'of an older version');
  t.match((await h.call('GET', `/webhooks/${id}`)).json().test, asItWas);
  await h.call('DELETE', `/webhooks/${id}`);
  t.equal(code(await h.call('GET', `/webhooks/${id}`)), 'webhook_not_found');
  const count = second.got.length;
  await run();
  await passes(h, HOUR);
  t.equal(second.got.length, count);
});

t.test('everything that was sent is as the reference says', async (t) => {
  await checkSent(t, await startHarness(t));
});
