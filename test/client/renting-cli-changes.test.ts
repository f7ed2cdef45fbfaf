// Macs are changed on the command line; the other renting commands; what cannot be done.
import t from 'tap';
import { setUp } from './renting-cli-rig.js';
import { runCli, startCli } from './run-cli.js';
import type { Instead } from './scripted-service.js';

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
      `PATCH ${base}/${mac} {"runtimes":["iOS 18.2","iOS 17.5"],"tools":[],"keep_cache":true,"when":"now"}`,
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
  renting.changeJob(first, { status: 'running', progress: { step: 'clone', percent: 40, image: null } });
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
      /MAC .*\nrt_\d+ +local +ready +16\.2 +1d00h +2026-01-02.* by 29 days +rt_\d+ +3 waiting\nrt_.*reserved.*begins 2026-0/,
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
    [rent, 77, /account_blocked/, instead('POST /orders', error(403, 'account_blocked', { fault: 'payment' }))],
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
      instead('POST /orders', error(400, 'invalid_start', { fields: [{ path: 'start', message: 'must be "now"' }] })),
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
