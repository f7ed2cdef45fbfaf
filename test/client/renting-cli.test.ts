// Renting from the command line, against a service whose person pays, or does not, when the test says so.
import { readFileSync } from 'node:fs';
import jsqr from 'jsqr';
import t, { type Test } from 'tap';
import { commandOf } from '../../client/cli/explain-error.js';
import { qrCode } from '../../client/cli/qr-code.js';
import type { NextRequest } from '../../client/index.js';
import { onTerminal } from './on-terminal.js';
import { makePlace } from './place.js';
import { type Running, runCli, startCli } from './run-cli.js';
import { type Instead, type ScriptedService, startScriptedService } from './scripted-service.js';
import { spawnCli } from './spawn-cli.js';

async function setUp(t: Test) {
  const service = await startScriptedService();
  const place = makePlace(service);
  t.teardown(async () => {
    await service.close();
    place.remove();
  });
  return { service, renting: service.renting, place };
}

/** The order that a running command waits for, once it does. */
async function orderOf(service: ScriptedService, run: Running): Promise<string> {
  await run.until('stderr', 'waiting for a person to consent and pay');
  const orderNo = /RT-\d+/.exec(run.output.stderr)?.[0] ?? '';
  await service.untilSeen(`GET /orders/${orderNo}/wait`, 1);
  return orderNo;
}

t.test('two Macs are rented: price, pay link, each Mac as it becomes ready', async (t) => {
  const { renting, service, place } = await setUp(t);
  const run = startCli(place, 'rent --tier local --days 2 --units 2 --xcode 16.2'.split(' '));
  const orderNo = await orderOf(service, run);
  const { stderr } = run.output;
  t.match(
    stderr,
    '2 Macs of local for 2 days: 40,000 won, VAT included (10,000 won a Mac and day); 4 Macs free now',
  );
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
      'the start lies ahead',
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
  t.match(
    await runCli(place, ['pay-status', orderNo]),
    { code: 0 },
    'a question that is answered is a success',
  );
});

t.test('Ctrl-C ends the waiting and says how to go on; a service that restarts does not', async (t) => {
  const { renting, service, place } = await setUp(t);
  for (const json of [[], ['--json']]) {
    const run = spawnCli(place, ['rent', '--tier', 'local', '--days', '1', ...json]);
    const orderNo = await orderOf(service, run);
    run.child.kill('SIGINT');
    const { code, stdout, stderr } = await run.done;
    t.equal(code, 130);
    t.match(stderr, `${orderNo} stays as it is; to go on waiting: cidermill pay-status ${orderNo} --wait`);
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
  t.match(await wait.done, { code: 130, stdout: '', stderr: /goes on: cidermill jobs op_\d+ --wait/ });
});

t.test('more time for one Mac, and for several with one payment', async (t) => {
  const { renting, service, place } = await setUp(t);
  const [one = '', two = '', late = ''] = [{}, {}, { can_extend: false }].map(
    (mac) => renting.addMac(mac).rental_id,
  );
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

t.test('Macs are changed: accepted, unchanged, refused, and waited for', async (t) => {
  const { renting, service, place } = await setUp(t);
  const mac = renting.addMac().rental_id;
  const busy = renting.addMac({ state: 'building', mac_state: 'building' }).rental_id;

  const asked = async (args: string[]) => {
    const ran = await runCli(place, [...args, '-y']);
    const { method, path, body } = service.requests.at(-1) ?? {};
    const job = [...renting.jobs.values()].at(-1);
    if (job) renting.changeJob(job.job_id, { status: 'done' });
    return { ...ran, asked: `${method} ${path} ${body}` };
  };
  const base = '/api/v1/rentals';
  const table: [string[], number, RegExp, string][] = [
    [['reset', mac], 0, /^rt_\d+ accepted: op_\d+\n$/, `POST ${base}/${mac}/reset {}`],
    [['reset', mac, '--keep-cache'], 0, /accepted/, `POST ${base}/${mac}/reset {"keep_cache":true}`],
    [['reset', busy], 75, /^$/, `POST ${base}/${busy}/reset {}`],
    [
      ['reset', busy, '--when', 'after_build'],
      0,
      /accepted: op_\d+/,
      `POST ${base}/${busy}/reset {"when":"after_build"}`,
    ],
    [
      ['reset', mac, busy],
      75,
      /accepted[\s\S]*rejected: rental_busy/,
      `POST ${base}/reset {"ids":["${mac}","${busy}"]}`,
    ],
    [
      ['reset', '--all', '--keep-cache', '--when', 'now'],
      0,
      /accepted[\s\S]*accepted/,
      `POST ${base}/reset {"all":true,"keep_cache":true,"when":"now"}`,
    ],
    [['xcode', '16.2', mac], 0, /^rt_\d+ unchanged\n$/, `POST ${base}/${mac}/xcode {"version":"16.2"}`],
    [['xcode', '16.0', mac], 0, /accepted/, `POST ${base}/${mac}/xcode {"version":"16.0"}`],
    [['xcode', '9', mac], 64, /^$/, `POST ${base}/${mac}/xcode {"version":"9"}`],
    [
      ['xcode', '9', '--all'],
      70,
      /rejected: xcode_not_available, Xcode 9 cannot be selected\./,
      `POST ${base}/xcode {"all":true,"version":"9"}`,
    ],
    [
      ['setup', mac, '--runtimes', 'iOS 18.2, iOS 17.5', '--tools', '', '--when', 'now'],
      0,
      /accepted/,
      `PATCH ${base}/${mac} {"runtimes":["iOS 18.2","iOS 17.5"],"tools":[],"when":"now"}`,
    ],
    [
      ['setup', mac, '--tools', '', '--no-keep-cache'],
      0,
      /accepted/,
      `PATCH ${base}/${mac} {"tools":[],"keep_cache":false}`,
    ],
    [['setup', mac], 0, /runtimes +iOS 18\.2 \(of iOS 18\.2, iOS 17\.5\)/, `GET ${base}/${mac} `],
  ];
  for (const [args, code, stdout, request] of table) {
    for (const id of renting.jobs.keys()) renting.changeJob(id, { status: 'done' });
    const ran = await asked(args);
    t.match(ran, { code, stdout, asked: request }, args.join(' '));
  }
  for (const id of renting.jobs.keys()) renting.changeJob(id, { status: 'done' });

  const run = startCli(place, ['reset', mac, busy, '--when', 'now', '--wait', '--json', '-y']);
  await run.until('stderr', 'reset of');
  const [first = '', second = ''] = [...renting.jobs.keys()].slice(-2);
  renting.changeJob(first, { status: 'running', progress: { step: 'clone', percent: 40 } });
  await run.until('stderr', `${first}, reset of ${mac}: running, clone`);
  renting.changeJob(first, { status: 'done' });
  renting.changeJob(second, { status: 'failed', error: 'reset_failed', message: 'no room' });
  const { code, stdout } = await run.done;
  t.equal(code, 70);
  t.match(JSON.parse(stdout), {
    results: [
      { rental_id: mac, result: 'accepted', job: { status: 'done' } },
      { rental_id: busy, result: 'accepted', job: { status: 'failed', error: 'reset_failed' } },
    ],
  });
  t.match(await runCli(place, ['jobs', second]), {
    code: 0,
    stdout: `${second}, reset of ${busy}: failed: reset_failed, no room\n`,
  });
  t.match(await runCli(place, ['jobs', second, '--wait', '--json']), { code: 70 });
  t.match(await runCli(place, ['jobs', first, '--wait']), { code: 0, stdout: /done/ });
});

t.test('without a terminal, what loses something has to be confirmed with -y', async (t) => {
  const { renting, service, place } = await setUp(t);
  const mac = renting.addMac().rental_id;
  for (const args of [
    ['reset', mac],
    ['reset', mac, '--keep-cache', '--when', 'now'],
    ['setup', mac, '--tools', '', '--no-keep-cache'],
    ['xcode', '16.0', mac, '--when', 'now'],
  ]) {
    const before = service.requests.length;
    const ran = await runCli(place, args);
    t.match(ran, { code: 64, stdout: '', stderr: /Without a terminal, confirm with -y\./ }, args.join(' '));
    t.equal(service.requests.length, before, 'nothing was sent');
  }
  t.match(await runCli(place, ['reset', mac, '--keep-cache']), { code: 0 }, 'nothing is lost: no question');
});

t.test('the other renting commands, for people and as JSON', async (t) => {
  const { service, renting, place } = await setUp(t);
  const mac = renting.addMac({ queued_builds: 3 }).rental_id;
  renting.addMac({
    state: 'reserved',
    mac_state: null,
    starts_at: '2026-03-01T00:00:00Z',
    can_extend: false,
  });
  service.advice = [
    {
      kind: 'extend_recommended',
      rental_id: mac,
      remaining_s: 7200,
      quote_hint: { days: 1, amount_won: 10_000 },
      reason: 'less_than_24_hours',
      next: [],
    },
    { kind: 'queue_backlog', queued_count: 5, active_macs: 1, reason: 'backlog', next: [] },
  ];
  renting.free = 0;
  const table: [string[], RegExp, object][] = [
    [
      ['rent', '--tier', 'local', '--hours', '72', '--quote'],
      /1 Mac of local for 3 days: 30,000 won/,
      { amount_won: 30_000 },
    ],
    [['orders'], /^no orders\n$/, { orders: [] }],
    [
      ['macs'],
      /MAC .*\nrt_\d+ +local +ready +16\.2 +1d00h +2026-01-02.* by 29 days +3 waiting\nrt_.*reserved.*begins 2026-0/,
      { rentals: [{ rental_id: mac }, {}] },
    ],
    [
      ['macs', mac],
      /Xcode +16\.2 \(of 16\.2, 16\.0\)[\s\S]*last job +none/,
      { rental_id: mac, setup: { xcode: '16.2' } },
    ],
    [['waitlist'], /^no entries\n$/, { entries: [] }],
    [
      ['waitlist', 'add', 'local', '--units', '2'],
      /^wl_\d+ waits, position \d\n$/,
      { tier: 'local', units: 2, status: 'waiting' },
    ],
    [['waitlist', 'list'], /ENTRY[\s\S]*wl_\d+ +local +2 +waiting/, { entries: [{ status: 'waiting' }, {}] }],
    [
      ['status'],
      new RegExp(
        `rt_\\d+ +local[\\s\\S]*advice: extend ${mac} \\(2h00m left\\), a day costs 10,000 won: cidermill extend ${mac} --days 1[\\s\\S]*5 builds wait for 1 Mac;`,
      ),
      { macs: [{ rental_id: mac }, {}] },
    ],
  ];
  for (const [args, text, json] of table) {
    t.match(await runCli(place, args), { code: 0, stdout: text, stderr: '' }, args.join(' '));
    t.match(JSON.parse((await runCli(place, [...args, '--json'])).stdout), json);
  }
  const spec = { chip: 'Apple M4', cpu_cores: 10, memory_gb: 16, disk_gb: 0, macos: '15' };
  const tier = { tier: 'm4', price_won: 42_000, period_hours: 24, spec, xcode_versions: ['16.2', '16.0'] };
  const unknown = { chip: '', cpu_cores: 0, memory_gb: 0, disk_gb: 0, macos: '' };
  const closed = { ...tier, tier: 'any', spec: unknown, xcode_versions: [], sales_open: false };
  const tiers = [{ ...tier, sales_open: true, available_now: 3 }, closed];
  service.instead('GET /catalog', { status: 200, text: JSON.stringify({ tiers }) });
  t.match(await runCli(place, ['catalog']), {
    stdout: /m4 +42,000 won \/ 24h +Apple M4, 10 cores, 16 GB +16\.2 16\.0 +3\nany .* 24h +- +- +closed\n$/,
  });

  const [entry = ''] = renting.waitlist.keys();
  t.match(await runCli(place, ['waitlist', 'rm', entry]), { code: 0, stdout: `${entry} cancelled\n` });
  t.match(await runCli(place, ['waitlist', 'rm', entry]), { code: 70, stderr: /waitlist_not_cancellable/ });
  renting.free = 1;
  await runCli(place, ['rent', '--tier', 'local', '--days', '1', '--detach']);
  t.match(await runCli(place, ['orders', '--status', 'awaiting_payment']), {
    stdout: /RT-\d+ +awaiting_payment +1 Mac of local for 1 day +10,000 won.*\/pay\/RT-/,
  });
  t.match(await runCli(place, ['orders', '--status', 'ready']), { stdout: 'no orders\n' });
});

t.test('what cannot be done says why, what would be right, and has its exit code', async (t) => {
  const { renting, service, place } = await setUp(t);
  const mac = renting.addMac().rental_id;
  const rent = ['rent', '--tier', 'local', '--days', '1'];
  const instead = (match: string, answer: Instead) => () => service.instead(match, answer, 9);
  const error = (status: number, code: string, more: Record<string, unknown> = {}) => ({
    status,
    error: { code, ...more },
  });
  const asked = service.requests.length;
  const unusable: [string[], RegExp][] = [
    [['rent', '--days', '1'], /required option '--tier/],
    [['rent', '--tier', 'local'], /give one of --days and --hours/],
    [[...rent, '--hours', '24'], /give one of/],
    [['rent', '--tier', 'local', '--days', 'x'], /whole number/],
    [['orders', '--status', 'nonsense'], /Allowed choices/],
    [['extend', mac], /required option '--days/],
    [['reset'], /name Macs, or give --all/],
    [['reset', mac, '--all'], /name Macs, or give --all/],
    [['reset', mac, '--when', 'later'], /Allowed choices/],
    [['setup', mac, '--wait'], /give --xcode, --runtimes or --tools/],
    [['setup', mac, '--no-keep-cache'], /to recreate a machine as it is, use `cidermill reset`/],
    [['setup', mac, '--tools', 'a,,b'], /commas/],
    [['waitlist', 'nonsense'], /too many arguments|unknown command/],
  ];
  for (const [args, message] of unusable) {
    const result = await runCli(place, args);
    t.match(result, { code: 64, stdout: '', stderr: message }, `${args.join(' ')} ${result.stderr}`);
  }
  t.equal(service.requests.length, asked, 'and nothing was asked');

  const table: [string[], number, RegExp, (() => void)?][] = [
    [['rent', '--tier', 'none', '--days', '1'], 64, /invalid_tier/],
    [['rent', '--tier', 'local', '--hours', '25'], 64, /invalid_period/],
    [['pay-status', 'RT-none'], 64, /order_not_found/],
    [['macs', 'rt_none'], 64, /rental_not_found/],
    [['jobs', 'op_none', '--wait'], 64, /job_not_found/],
    [['waitlist', 'add', 'local'], 70, /available_now/],
    [['xcode', '9', mac], 64, /xcode_not_available[\s\S]* {2}one of: 16\.2, 16\.0/],
    [
      rent,
      75,
      /no_capacity[\s\S]* {2}try: cidermill waitlist add local --units 1\n/,
      () => {
        renting.free = 0;
      },
    ],
    [
      rent,
      75,
      /too_many_pending_orders/,
      instead('POST /orders', error(429, 'too_many_pending_orders', { retryable: true })),
    ],
    [
      rent,
      77,
      /account_blocked/,
      instead('POST /orders', error(403, 'account_blocked', { fault: 'payment' })),
    ],
    [rent, 77, /api_key_read_only/, instead('POST /orders', error(403, 'api_key_read_only'))],
    [rent, 75, /internal_error/, instead('POST /quote', error(500, 'internal_error', { retryable: true }))],
    [
      ['extend', mac, '--days', '40'],
      70,
      /rental_duration_limit/,
      instead('POST /extend', error(422, 'rental_duration_limit')),
    ],
    [
      ['rent', '--tier', 'local', '--hours', '24', '--start', 'soon'],
      64,
      /invalid_start[\s\S]* {2}start: must be/,
      instead(
        'POST /orders',
        error(400, 'invalid_start', { fields: [{ path: 'start', message: 'must be "now"' }] }),
      ),
    ],
  ];
  for (const [args, code, message, prepare] of table) {
    prepare?.();
    const result = await runCli(place, args);
    t.match(result, { code, stdout: '', stderr: message }, `${code}: ${args.join(' ')} ${result.stderr}`);
    service.clear();
    renting.free = 4;
  }

  service.requests.length = 0;
  renting.addMac({ rental_id: 'rt_busy', state: 'building', mac_state: 'building' });
  t.match(await runCli(place, ['reset', 'rt_busy', '-y']), {
    code: 75,
    stderr: /rental_busy[\s\S]*try: cidermill reset rt_busy --when after_build\n/,
  });
  t.equal(service.requests.length, 1, 'a busy Mac is not asked again and again');
});

t.test('a suggested request is told as the command that sends it', (t) => {
  const table: [Omit<NextRequest, 'action'>, string | null][] = [
    [{ method: 'GET', path: '/api/v1/catalog' }, 'cidermill catalog'],
    [
      { method: 'GET', path: '/api/v1/orders?status=awaiting_payment' },
      'cidermill orders --status awaiting_payment',
    ],
    [{ method: 'GET', path: '/api/v1/orders/RT-1/wait?timeout=60' }, 'cidermill pay-status RT-1 --wait'],
    [{ method: 'GET', path: '/macs/api/v1/jobs/op_1' }, 'cidermill jobs op_1 --wait'],
    [
      { method: 'POST', path: '/api/v1/waitlist', body: { tier: 'two words', units: 2 } },
      "cidermill waitlist add 'two words' --units 2",
    ],
    [
      { method: 'POST', path: '/api/v1/orders', body: { tier: 'm4', hours: 24, setup: { xcode: '16.2' } } },
      'cidermill rent --tier m4 --hours 24 --xcode 16.2',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/extend/quote', body: { hours: 48 } },
      'cidermill extend rt_1 --days 2 --quote',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/extend', body: { rental_ids: ['rt_1', 'rt_2'], hours: 24 } },
      'cidermill extend rt_1 rt_2 --days 1',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/reset', body: { keep_cache: true } },
      'cidermill reset rt_1 --keep-cache',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/reset', body: { all: true, when: 'now' } },
      'cidermill reset --all --when now',
    ],
    [
      { method: 'POST', path: '/api/v1/rentals/rt_1/xcode', body: { version: '16.0', when: 'after_build' } },
      'cidermill xcode 16.0 rt_1 --when after_build',
    ],
    [
      {
        method: 'PATCH',
        path: '/api/v1/rentals/rt_1',
        body: { runtimes: ['iOS 18.2', 'iOS 17'], tools: [] },
      },
      "cidermill setup rt_1 --runtimes 'iOS 18.2,iOS 17' --tools ''",
    ],
    [
      { method: 'PATCH', path: '/api/v1/rentals/rt_1', body: { tools: [], keep_cache: true } },
      "cidermill setup rt_1 --tools ''",
    ],
    [
      {
        method: 'PATCH',
        path: '/api/v1/rentals/rt_1',
        body: { xcode: '16', keep_cache: false, when: 'now' },
      },
      'cidermill setup rt_1 --xcode 16 --no-keep-cache --when now',
    ],
    [{ method: 'GET', path: '/api/v1/rentals' }, 'cidermill macs'],
    [{ method: 'GET', path: '/api/v1/openapi.json' }, null],
    [{ method: 'GET', path: '/agent-start.md' }, null],
  ];
  for (const [next, command] of table) t.equal(commandOf({ action: 'x', ...next }), command, next.path);
  t.end();
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

t.test('a build does not wait for code about renting to be loaded', (t) => {
  const seen = new Set<string>();
  const visit = (file: URL) => {
    if (seen.has(file.pathname)) return;
    seen.add(file.pathname);
    const code = readFileSync(file, 'utf8');
    for (const [, from = ''] of code.matchAll(/^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+)'/gm))
      visit(new URL(from.replace(/\.js$/, '.ts'), file));
  };
  for (const file of ['main', 'run-build']) visit(new URL(`../../../client/cli/${file}.ts`, import.meta.url));
  const names = [...seen].map((path) => path.replace(/^.*\/client\//, ''));
  t.ok(['api/builds.ts', 'cli/session.ts', 'cli/commands.ts'].every((name) => names.includes(name)));
  const renting = /renting|order|rental|maintenance|jobs|waitlist|qr-code|explain|commands\//;
  t.same(
    names.filter((name) => renting.test(name)),
    [],
  );
  t.end();
});

t.test('QR codes of any address can be read back', (t) => {
  for (let length = 1; length <= 230; length += 23) {
    const text = `https://macs.example.com/pay/${'RT-0123456789abcdef'.repeat(13)}`.slice(0, 8 + length);
    const { lines, width } = qrCode(text);
    t.equal(readQrCode(lines.join('\n')), text, `${text.length} characters`);
    t.ok(lines.every((line) => line.replace(/\x1b\[[\d;]*m/g, '').length === width));
  }
  t.end();
});

/** Reads a code as a camera would: from a picture of what stands on the terminal. */
function readQrCode(output: string): string | null {
  const lines = [...output.matchAll(/\x1b\[30;107m([█▀▄ ]+)\x1b\[0m/g)].map(([, cells = '']) => cells);
  const scale = 4;
  const width = (lines[0]?.length ?? 0) * scale;
  const height = lines.length * 2 * scale;
  const picture = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / scale);
    for (let x = 0; x < width; x++) {
      const cell = lines[row >> 1]?.[Math.floor(x / scale)] ?? ' ';
      const dark = cell === '█' || cell === (row % 2 === 0 ? '▀' : '▄');
      picture.set(dark ? [0, 0, 0, 255] : [255, 255, 255, 255], (y * width + x) * 4);
    }
  }
  return jsqr.default(picture, width, height)?.data ?? null;
}
