// `cidermill webhooks` against the service itself, with a receiver on a socket of this machine.
// Runs in: soak
import t from 'tap';
import { startHarness } from '../../harness/harness.js';
import { signedBy, startReceiver } from '../../harness/receiver.js';
import { runCli } from '../run-cli.js';
import { placeAt } from './place-at.js';

t.test('webhooks from the command line', async (t) => {
  const h = await startHarness(t, { receivers: true });
  const place = await placeAt(t, h, h.keys.all);
  const webhooks = (...args: string[]) => runCli(place, ['webhooks', ...args]);
  const json = async (...args: string[]) => JSON.parse((await webhooks(...args, '--json')).stdout);
  const cancelledBuild = async () => {
    const build = ['build', '--detach', '--repo', 'a/b', '--script', 'x', '--queue-until-rental'];
    const { stdout, stderr } = await runCli(place, build);
    t.match(await runCli(place, ['cancel', stdout.trim()]), { code: 0 }, stderr);
    await h.workers.idle();
  };

  const receiver = await startReceiver(t, () => ({ status: 401 }));
  t.match(await webhooks(), { code: 0, stdout: 'no webhooks\n', stderr: '' });
  const added = await webhooks('add', receiver.url, '--events', 'cancelled, build.stalled');
  t.equal(added.code, 0);
  const [, id = '', secret = ''] = /^(wh_\w+)\n(whsec_\S+)\n$/.exec(added.stdout) ?? [];
  t.ok(id && secret, 'id and secret, and nothing else');
  t.equal(added.stderr, `the test failed: answered 401; give it the secret, then: cidermill webhooks test ${id}\n`);
  t.match(await webhooks('test', id), {
    code: 70,
    stdout: new RegExp(`^${id} disabled \\(test failed\\): http\\S+/hook\\n  the test failed: answered 401\\n$`),
  });

  receiver.answer = () => ({ status: 204 });
  t.match(await webhooks('test', id), {
    code: 0,
    stdout: `${id} enabled: ${receiver.url}\n  the test was answered 204\n`,
    stderr: '',
  });
  const list = await webhooks('list');
  t.match(list.stdout, new RegExp(`${id} +enabled +http\\S+ +cancelled,stalled\\n`));
  t.notMatch(list.stdout, 'whsec_', 'the secret was shown once');
  t.match(await json('list'), { webhooks: [{ id, events: ['build.cancelled', 'build.stalled'] }] });

  t.match(await webhooks('deliveries', id), { code: 0, stdout: 'no deliveries\n' });
  await cancelledBuild();
  const { deliveries } = await json('deliveries', id, '--limit', '5');
  t.match(deliveries, [{ event_type: 'build.cancelled', status: 'delivered', http_status: 204 }]);
  const [{ id: delivery }] = deliveries;
  t.match(
    (await webhooks('deliveries', id)).stdout,
    new RegExp(`\\n${delivery} +cancelled +delivered +1 +204 +\\d{4}-`),
  );
  t.match(await webhooks('deliveries', id, '--status', 'failed'), { code: 0, stdout: 'no deliveries\n' });

  t.match(await webhooks('redeliver', id, delivery), { code: 0, stdout: `${delivery} pending\n` });
  await h.workers.idle();
  t.match(await webhooks('redeliver', id, '--since', '2020-01-01'), {
    code: 0,
    stdout: '1 event sent again\n',
  });
  await h.workers.idle();
  t.same(await json('redeliver', id, '--since', '2020-01-01', '--status', 'failed'), { redelivered: 0 });
  const ids = receiver.got.filter(({ body }) => body.build !== null).map(({ body }) => body.event_id);
  t.match([ids.length, new Set(ids).size], [3, 1], 'the same event three times');

  t.match(await webhooks('edit', id, '--events', 'failed', '--status', 'disabled'), {
    code: 0,
    stdout: new RegExp(`^${id} disabled \\(by request\\)`),
  });
  t.match(await json('edit', id, '--status', 'enabled'), { status: 'enabled', events: ['build.failed'] });
  t.match(await webhooks('edit', id, '--address', 'http://127.0.0.1:1/nobody'), {
    code: 70,
    stdout: /disabled \(test failed\)[\s\S]*ECONNREFUSED/,
  });
  t.match(await webhooks('edit', id, '--address', receiver.url), { code: 0, stdout: /enabled/ });

  const rotated = await webhooks('rotate', id, '--grace', '60');
  t.match(rotated, { code: 0, stdout: /^whsec_\S+\n$/, stderr: '' });
  t.match(await webhooks('test', id), { code: 0 });
  const last = receiver.got.at(-1);
  t.same(last && [rotated.stdout.trim(), secret].map((one) => signedBy(one, last)), [
    ['x-svc-signature'],
    ['x-svc-signature-previous'],
  ]);
  t.match(await json('rotate', id), { id, secret: /^whsec_/ });

  const mistakes: [string[], number, RegExp][] = [
    [['add'], 64, /missing required argument/],
    [['add', receiver.url, '--events', 'exploded'], 64, /Give names of succeeded, failed,/],
    [['add', 'http://hooks.example.com/'], 64, /invalid_webhook/],
    [['add', receiver.url, '--key', h.keys.read], 77, /api_key_read_only/],
    [['edit', id], 64, /say what to change/],
    [['edit', id, '--status', 'asleep'], 64, /Allowed choices are enabled, disabled/],
    [['rotate', id, '--grace', 'long'], 64, /whole number/],
    [['rotate', id, '--grace', '99999999'], 64, /invalid_webhook[\s\S]*grace_s/],
    [['redeliver', id], 64, /give a delivery, or --since/],
    [['redeliver', id, 'dl_1', '--since', '2020-01-01'], 64, /give a delivery, or --since/],
    [['redeliver', id, 'dl_1', '--status', 'failed'], 64, /--status needs --since/],
    [['redeliver', id, 'dl_1'], 64, new RegExp(`delivery_not_found[\\s\\S]*try: cidermill webhooks deliveries ${id}`)],
    [['redeliver', id, '--since', 'lately'], 64, /invalid_time/],
    [['test', 'wh_none'], 64, /webhook_not_found/],
  ];
  for (const [args, code, stderr] of mistakes) {
    t.match(await webhooks(...args), { code, stdout: '', stderr }, args.join(' '));
  }

  t.match(await webhooks('rm', id), { code: 0, stdout: `${id} removed\n` });
  t.match(await webhooks('rm', id), { code: 64, stderr: /webhook_not_found/ });
  t.same(await json('list'), { webhooks: [] });
});
