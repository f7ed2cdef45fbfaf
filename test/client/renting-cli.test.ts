// Runs in: soak
import t from 'tap';
import { onTerminal } from './on-terminal.js';
import { orderOf, readQrCode, setUp } from './renting-cli-rig.js';
import { runCli, startCli } from './run-cli.js';
import { spawnCli } from './spawn-cli.js';

t.test('two Macs are rented: price, pay link, each Mac as it becomes ready', async (t) => {
  const { renting, service, place } = await setUp(t);
  const run = startCli(place, 'rent --tier local --days 2 --units 2 --xcode 16.2'.split(' '));
  const orderNo = await orderOf(service, run);
  const { stderr } = run.output;
  t.match(stderr, '2 Macs of local for 2 days: 40,000 won, VAT included (10,000 won a Mac and day); 4 Macs free now');
  t.match(stderr, `A person of the account has to sign in, consent and pay until`);
  t.match(stderr, `  ${new URL(service.url).origin}/pay/${orderNo}\n`);
  t.notMatch(stderr, /[█▀▄]/, 'a QR code is for terminals');
  t.same(JSON.parse(String(service.seen('POST /orders')[0]?.body)), {
    tier: 'local',
    hours: 48,
    units: 2,
    setup: { xcode: '16.2' },
  });
  t.equal(service.requests.filter(({ path }) => path.includes('/pay')).length, 0, 'it never pays itself');

  renting.pay(orderNo);
  await run.until('stderr', 'paid, its Macs are being prepared');
  const [first = '', second = ''] = renting.orders.get(orderNo)?.rental_ids ?? [];
  renting.prepared(first);
  await run.until('stderr', `✓ ${first} is ready, Xcode 16.2; it ends 2026-01-03`);
  await run.until('stderr', 'prepared (1 of 2 Macs ready)');
  renting.prepared(second);
  t.match(await run.done, { code: 0, stdout: `${first}\n${second}\n` });
  t.equal(run.output.stderr.match(/is ready/g)?.length, 2, 'each Mac is told of once');
});

t.test('every way an order can end has its exit code', async (t) => {
  const { renting, service, place } = await setUp(t);
  renting.free = 99;
  const rent = ['rent', '--tier', 'local', '--hours', '24'];
  const table: [string, string[], (orderNo: string) => void, number, RegExp, object][] = [
    [
      'nobody pays',
      rent,
      (no) => renting.drop(no, 'expired'),
      124,
      /✗ RT-\d+: expired, not paid in time/,
      { status: 'expired' },
    ],
    [
      'the person says no',
      rent,
      (no) => renting.drop(no, 'canceled'),
      130,
      /✗ RT-\d+: canceled\n/,
      { status: 'canceled' },
    ],
    [
      'no Mac can be given',
      rent,
      (no) => {
        renting.pay(no);
        renting.drop(no, 'canceled');
      },
      70,
      /canceled: no Mac could be provided, the payment is refunded/,
      { status: 'canceled' },
    ],
    [
      'the start is in the future',
      [...rent, '--start', '2026-02-01T00:00:00Z'],
      (no) => renting.pay(no),
      0,
      /✓ RT-\d+: paid and reserved, begins 2026-0/,
      { status: 'provisioning', macs: [{ state: 'reserved' }] },
    ],
  ];
  for (const [name, args, act, code, told, document] of table) {
    const plain = startCli(place, args);
    const json = startCli(place, [...args, '--json']);
    for (const run of [plain, json]) act(await orderOf(service, run));
    const ended = await plain.done;
    t.match(ended, { code, stderr: told }, name);
    t.match(ended.stdout, code === 0 ? /^rt_\d+\n$/ : /^$/);
    t.equal((await json.done).code, code);
    t.match(JSON.parse((await json.done).stdout), document);
  }

  const detached = await runCli(place, [...rent, '--detach']);
  t.match(detached, { code: 0, stdout: /^RT-\d+\n$/, stderr: /consent and pay/ });
  const orderNo = detached.stdout.trim();
  t.match(await runCli(place, ['pay-status', orderNo]), {
    code: 0,
    stdout: /waiting for a person[\s\S]*\/pay\/RT-/,
  });
  const waiting = startCli(place, ['pay-status', orderNo, '--wait']);
  await orderOf(service, waiting);
  renting.drop(orderNo, 'expired');
  t.match(await waiting.done, { code: 124, stdout: /expired/ });
  t.match(await runCli(place, ['pay-status', orderNo]), { code: 0 }, 'a question that is answered is a success');
});

t.test('Ctrl-C ends the waiting and says how to go on; a service that restarts does not', async (t) => {
  const { renting, service, place } = await setUp(t);
  for (const json of [[], ['--json']]) {
    const run = spawnCli(place, ['rent', '--tier', 'local', '--days', '1', ...json]);
    const orderNo = await orderOf(service, run);
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.done;
    t.equal(code, 130);
    t.match(stderr, `${orderNo} remains open; to continue waiting: cidermill pay-status ${orderNo} --wait`);
    if (json.length === 0) t.equal(stdout, '');
    else t.match(JSON.parse(stdout), { order_no: orderNo, status: 'awaiting_payment' });
    t.equal(renting.orders.get(orderNo)?.status, 'awaiting_payment');
  }

  const [orderNo = ''] = renting.orders.keys();
  service.instead('GET /orders/*/wait', { cut: true }, 2);
  service.instead('GET /orders/*/wait', { status: 503, text: 'a proxy' }, 1);
  const again = startCli(place, ['pay-status', orderNo, '--wait']);
  await orderOf(service, again);
  renting.pay(orderNo);
  await again.until('stderr', 'being prepared');
  renting.prepared(renting.orders.get(orderNo)?.rental_ids[0] ?? '');
  t.match(await again.done, { code: 0, stdout: /ready\n[\s\S]*Macs rt_/ });

  const mac = renting.addMac();
  const wait = spawnCli(place, ['reset', mac.rental_id, '--wait', '-y']);
  await wait.until('stderr', 'reset of');
  wait.child.kill('SIGINT');
  t.match(await wait.done, { code: 130, stdout: '', stderr: /continue: cidermill jobs op_\d+ --wait/ });
});

t.test('more time for one Mac, and for several with one payment', async (t) => {
  const { renting, service, place } = await setUp(t);
  const [one = '', two = '', late = ''] = [{}, {}, { can_extend: false }].map((mac) => renting.addMac(mac).rental_id);
  t.match(await runCli(place, ['extend', one, '--days', '3', '--quote']), {
    code: 0,
    stdout: `${one} for 3 days more: 30,000 won, VAT included; would end 2026-01-09`,
  });
  t.match(await runCli(place, ['extend', one, two, late, '--days', '1', '--quote']), {
    code: 0,
    stdout: new RegExp(`${late}.*extension_deadline: It ends in a moment[\\s\\S]*1 day more: 20,000 won`),
  });
  const refused = await runCli(place, ['extend', one, late, '--days', '1']);
  t.match(refused, {
    code: 70,
    stderr: new RegExp(`extension_unavailable[\\s\\S]*  ${late}: extension_deadline`),
  });
  t.match(await runCli(place, ['extend', one, '--days', '1']), { code: 0, stdout: /^RT-\d+\n$/ });

  const run = startCli(place, ['extend', one, two, '--days', '7', '--wait']);
  const orderNo = await orderOf(service, run);
  t.same(JSON.parse(String(service.seen('POST /rentals/extend').at(-1)?.body)), {
    rental_ids: [one, two],
    hours: 168,
  });
  renting.pay(orderNo);
  t.match(await run.done, {
    code: 0,
    stdout: `${one}\n${two}\n`,
    stderr: new RegExp(`7 days more for ${one}, ${two}[\\s\\S]*✓ ${one} now ends 2026-01-02`),
  });
});

t.test('on a terminal the pay link is also a QR code, and what destroys asks first', async (t) => {
  const { renting, place } = await setUp(t);
  const mac = renting.addMac().rental_id;
  const rent = ['rent', '--tier', 'local', '--days', '1', '--detach'];
  const rented = await onTerminal(place, rent).ended();
  const [order] = renting.orders.values();
  t.equal(rented.code, 0);
  t.equal(readQrCode(rented.output), order?.pay_url, 'a camera reads the pay link');
  const terminal = true;
  const dumb = await runCli(place, rent, { terminal, env: { TERM: 'dumb' } });
  t.match(dumb, { code: 0, stderr: /consent and pay/ });
  t.notMatch(dumb.stderr, /[█▀▄]/);

  const stopped = onTerminal(place, ['reset', mac]);
  await stopped.until('Everything on it is lost. [y/N]');
  stopped.type('\u0003');
  t.equal((await stopped.ended()).code, 130);
  t.equal(renting.jobs.size, 0);
  for (const [args, input, code] of [
    [['reset', mac], 'n\r', 130],
    [['setup', mac, '--xcode', '16.0', '--no-keep-cache'], 'y\r', 0],
  ] as const) {
    const asked = await runCli(place, [...args], { input, terminal });
    t.match(asked, { code, stderr: 'Everything on it is lost. [y/N]' });
    t.equal(renting.jobs.size, code === 0 ? 1 : 0);
  }
  for (const args of [
    ['reset', '--all', '--yes'],
    ['reset', mac, '--keep-cache'],
    ['xcode', '16.0', mac],
  ]) {
    for (const id of renting.jobs.keys()) renting.changeJob(id, { status: 'done' });
    const { code, stderr } = await runCli(place, args, { terminal });
    t.equal(code, 0, args.join(' '));
    t.notMatch(stderr, '[y/N]', 'nothing is asked');
  }
  for (const args of [
    ['xcode', '16.0', mac],
    ['setup', mac, '--xcode', '16.0'],
    ['reset', mac, '--keep-cache'],
  ]) {
    const asked = await runCli(place, [...args, '--when', 'now'], { input: '\r', terminal });
    t.match(asked, { code: 130, stderr: '[y/N]' }, args.join(' '));
  }
});
