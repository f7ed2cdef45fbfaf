// A Mac's life as its people live it: a program orders, a person pays, it is built on, changed and kept for 30 days,
// it ends, and the next tenant has its slot. Every part is real; days pass on the test clock.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Service, startService } from '../../bench/service.js';
import type { Advice, AgentMac, Order, RentalDetail, WaitlistEntry } from '../../client/index.js';
import { makePlace, type Place } from '../client/place.js';
import { type Spawned, spawnCli } from '../client/spawn-cli.js';
import { ownLines } from '../harness/cli.js';
import { until } from '../harness/until.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const CANARY = 'canary-70b1e9';
const SECRET = 'secret-canary-c4d2';

/** An organization: its key on a command line, and a person who signs in and pays. */
interface Tenant {
  place: Place;
  orgId: string;
  email: string;
  password: string;
}

t.test('thirty days with a Mac, and the tenant after', async (t) => {
  const service = await startService({ CIDERMILL_UNPAID_SHARE_PERCENT: '100' }, [
    '--macs',
    '0',
    '--free',
    '2',
    '--test-clock',
  ]);
  t.teardown(() => service.stop());
  const { org_id: orgId, email, password } = service;
  const first = tenant(service, { key: service.api_key, orgId, email, password });
  const second = await anotherTenant(service);
  for (const { place } of [first, second]) t.teardown(place.remove);

  const advance = async (ms: number) => {
    const answer = await fetch(`${service.site_url}/dev/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance_ms: Math.round(ms) }),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    return Date.parse(((await answer.json()) as { now: string }).now);
  };
  /** Runs a command; what waits in vain when a test fails is ended with it. */
  const start = (of: Tenant, args: string[]) => {
    const running = spawnCli(of.place, args);
    t.teardown(() => void running.child.kill('SIGKILL'));
    return running;
  };
  const run = (args: string, of = first) => spawnCli(of.place, words(args)).done;
  const json = async <T>(args: string, of = first): Promise<T> => {
    const { stdout, stderr } = await run(`${args} --json`, of);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };
  const detail = (id: string, of = first) => json<RentalDetail>(`macs ${id}`, of);
  const pay = (orderNo: string, of = first, body: object = {}) => payAsPerson(service, of, orderNo, body);
  /** Runs a command that waits for an order; a person pays meanwhile. */
  const paid = async (args: string, of = first) => {
    const running = start(of, words(args));
    const orderNo = await waitsForPayment(running);
    await pay(orderNo, of);
    const ended = await running.done;
    if (ended.code !== 0) throw new Error(`${args}: ${ended.code} ${ended.stderr}`);
    return ended.stdout.trim().split('\n');
  };
  const build = (script: string, rental: string, of = first) =>
    start(of, ['build', '--rental', rental, '--script', script]);
  const built = async (script: string, rental: string, of = first) => {
    const ended = await build(script, rental, of).done;
    if (ended.code !== 0) throw new Error(ended.stderr);
    return ownLines(ended.stdout);
  };

  await t.test('before the first rental: the price, and the available Macs', async (t) => {
    t.match(await json<{ advice: Advice[] }>('status'), { advice: [{ kind: 'no_active_mac' }] });
    t.match(await run('build --script true'), { code: 70, stderr: /no_active_rental[\s\S]*try: cidermill/ });
    t.match(await json('rent --tier local --days 27 --quote'), { amount_won: 270_000, available_now: 2 });
    t.match(await run('rent --tier local --hours 36 --quote'), { code: 64, stderr: /invalid_period/ });
  });

  await t.test('an unpaid order holds its Mac for half an hour', async (t) => {
    const { order_no } = await json<Order>('rent --tier local --days 1 --units 2 --detach');
    t.match(await json('rent --tier local --days 1 --quote'), { available_now: 0 });
    t.match(await run('rent --tier local --days 1 --detach'), {
      code: 75,
      stderr: /no_capacity[\s\S]*try: cidermill waitlist add local --units 1/,
    });
    t.match(await pay(order_no, first, { outcome: 'declined' }), { order: { status: 'awaiting_payment' } });
    const waiting = start(first, ['pay-status', order_no, '--wait']);
    await waitsForPayment(waiting);
    await advance(30 * MINUTE + 1000);
    t.match(await waiting.done, { code: 124, stderr: /expired, not paid in time/ });
    t.match(await json('rent --tier local --days 1 --quote'), { available_now: 2 });
    t.equal((await tryToPay(service, first, order_no)).status, 409, 'too late to pay');
  });

  const [mac = ''] = await paid('rent --tier local --days 27');
  t.match(mac, /^rt_/, 'a person has paid, and the Mac is ready');

  await t.test('it builds, and is changed as far as this host can', async (t) => {
    t.equal(await built('cat README', mac), 'The smallest project.\n');
    await admin(service, 'tier edit --tier local --xcode 99.1 --tools make,no-such-tool --runtimes no-such-runtime');
    const { stdout: choices } = await run(`setup ${mac}`);
    t.match(choices, /no-such-tool/);
    t.notMatch(choices, /99\.1/, 'this host has no Xcode, whatever its tier says');
    t.match(await run(`xcode 99.1 ${mac} -y`), { code: 64, stderr: /xcode_not_available/ });
    const failed = await run(`setup ${mac} --tools no-such-tool -y --wait`);
    t.equal(failed.code, 70, failed.stderr);
    t.match(failed.stdout, /^op_.*failed: .*is not installed on this host/);
    t.match(await detail(mac), { state: 'ready', op: { kind: 'setup', status: 'failed' } });

    await built('echo left >left; echo left >"$HOME/left"', mac);
    t.match(await run(`reset ${mac} --keep-cache --wait -y`), { code: 0, stdout: /reset of .*: done/ });
    t.equal(await built('ls; cat "$HOME/left"', mac), 'README\nleft\n', 'only the work folder was emptied');
    t.match(await run(`reset ${mac} --wait -y`), { code: 0, stdout: /done/ });
    t.equal(await built('ls; ls -A "$HOME" | grep left || true', mac), 'README\n', 'a new Mac');
    t.match(await run(`reset ${mac} -y`), {
      code: 75,
      stderr: new RegExp(`reset_limit[\\s\\S]*try: cidermill reset ${mac} --keep-cache\n`),
    });
    await advance(10 * MINUTE);
    t.match(await run(`reset ${mac} --wait -y`), { code: 0 });

    const busy = build('echo begun; sleep 600', mac);
    await busy.until('stdout', 'begun');
    t.match(await run(`reset ${mac} --keep-cache -y`), {
      code: 75,
      stderr: new RegExp(`rental_busy[\\s\\S]*try: cidermill reset ${mac} --keep-cache --when after_build\n`),
    });
    t.match(await run(`reset ${mac} --keep-cache --when now --wait -y`), { code: 0 });
    t.match(await busy.done, { code: 130 }, 'the build made way');
  });

  await t.test('a tier whose Xcode no host has: the order is refused before anybody pays', async (t) => {
    const refused = await run('rent --tier local --days 1 --json');
    t.match(refused, { code: 64, stderr: /xcode_not_available/ });
    const { orders } = await json<{ orders: Order[] }>('orders');
    t.notOk(orders.some(({ status }) => status === 'awaiting_payment'));
    await admin(service, 'tier edit --tier local --xcode= --tools make --runtimes=');
  });

  const [short = ''] = await paid('rent --tier local --days 1');

  await t.test('all Macs are taken: the other organization is put on the list', async (t) => {
    t.match(await run('rent --tier local --days 1', second), { code: 75, stderr: /no_capacity/ });
    t.match(await run('waitlist add local --units 2', second), {
      code: 0,
      stdout: /^wl_\w+ waits, position 1\n$/,
    });
    t.match(await run('waitlist add local', second), { code: 70, stderr: /waitlist_exists/ });
  });

  await t.test('three extensions make 30 days, and no more', async (t) => {
    const begin = await detail(mac);
    const { order_no } = await json<Order>(`extend ${mac} --days 1`);
    t.match(await run(`extend ${mac} --days 1`), {
      code: 75,
      stderr: new RegExp(`extension_pending[\\s\\S]*try: cidermill pay-status ${order_no}`),
    });
    await pay(order_no);
    for (const more of [1, 2]) t.same(await paid(`extend ${mac} --days 1 --wait`), [mac], `and day ${more + 28}`);
    const end = await detail(mac);
    t.equal(Date.parse(end.ends_at ?? '') - Date.parse(begin.ends_at ?? ''), 3 * DAY);
    t.match(end, { can_extend: false, max_extend_days: 0 });
    t.match(await run(`extend ${mac} --days 1`), { code: 70, stderr: /rental_duration_limit/ });
    const quote = await json<{ items: object[] }>(`extend ${mac} ${short} --days 1 --quote`);
    t.match(quote, {
      amount_won: 10_000,
      items: [
        { rental_id: mac, ok: false, reason: 'rental_duration_limit' },
        { rental_id: short, ok: true, amount_won: 10_000 },
      ],
    });
    t.match(await run(`extend ${mac} ${short} --days 1`), {
      code: 70,
      stderr: /extension_unavailable[\s\S]*rental_duration_limit/,
    });
  });

  await t.test('the last minutes of the one-day Mac: its build moves to the other', async (t) => {
    const left = (await detail(short)).remaining_s * 1000;
    await advance(left - 30 * MINUTE);
    const { advice } = await json<{ advice: Advice[] }>('status');
    t.same(
      advice.filter(({ rental_id }) => rental_id === short).map(({ kind }) => kind),
      ['extend_recommended', 'expiring_soon'],
    );
    await advance(21 * MINUTE);
    t.match(await run(`extend ${short} --days 1`), { code: 70, stderr: /extension_deadline/ });

    const go = join(first.place.root, 'go');
    // Both Macs are free; the build takes either, so the long one is kept busy until it has begun on the short one.
    const keeper = build(`echo keeps; while [ ! -e ${go}1 ]; do sleep 0.1; done`, mac);
    await keeper.until('stdout', 'keeps');
    const moving = start(first, [
      'build',
      '--script',
      `echo "on $CIDERMILL_RENTAL_ID"; while [ ! -e ${go}2 ]; do sleep 0.1; done`,
    ]);
    await moving.until('stdout', `on ${short}\n`);
    writeFileSync(`${go}1`, '');
    t.equal((await keeper.done).code, 0);
    await advance(10 * MINUTE);
    await moving.until('stdout', `on ${mac}\n`);
    writeFileSync(`${go}2`, '');
    const { code, stdout } = await moving.done;
    t.equal(code, 0);
    t.match(stdout, `on ${short}\n[cidermill] The rental of this Mac has ended. The build runs again on another Mac`);
    t.same(
      (await json<{ macs: AgentMac[] }>('status')).macs.map(({ rental_id }) => rental_id),
      [mac],
    );
    t.match(await run(`macs ${short}`), { code: 64, stderr: /rental_not_found/ });
    t.match(await run(`reset ${short} --keep-cache -y`), { code: 70, stderr: /rental_not_active/ });
  });

  await t.test(
    'the thirtieth day: the build ends with its Mac, and the waiting organization is notified',
    async (t) => {
      t.equal((await run(`secrets set TOKEN ${SECRET}`)).code, 0);
      writeFileSync(join(first.place.project, 'source.txt'), `${CANARY}\n`);
      await built(
        'for d in . "$HOME" "$XDG_CACHE_HOME" "$TMPDIR"; do mkdir -p "$d/.deep"; cp source.txt "$d/.deep/"; ' +
          'printenv TOKEN >"$d/.deep/token"; done',
        mac,
      );
      t.not(onHost(service, CANARY), '', 'the canary is there while its tenant is');
      await advance((await detail(mac)).remaining_s * 1000 - 5 * MINUTE);
      const last = build('echo begun; sleep 600', mac);
      await last.until('stdout', 'begun');
      t.match(await json<{ entries: WaitlistEntry[] }>('waitlist', second), {
        entries: [{ status: 'waiting' }],
      });
      await advance(6 * MINUTE);
      const ended = await last.done;
      t.equal(ended.code, 130);
      t.match(ended.stderr, /rental_ended/);
      t.match(await json('status'), { macs: [], advice: [{ kind: 'no_active_mac' }] });
      await until(
        async () => (await json<{ entries: WaitlistEntry[] }>('waitlist', second)).entries[0]?.status === 'notified',
        'the waiting organization is told',
        30_000,
      );
      t.match(await notices(service, second), /local/);
    },
  );

  await t.test('the next tenant has the slots, and nothing of the one before', async (t) => {
    const macs = await paid('rent --tier local --days 1 --units 2', second);
    t.equal(macs.length, 2);
    t.equal(onHost(service, CANARY), '', 'nowhere on the host');
    t.equal(onHost(service, SECRET), '');
    for (const id of macs) {
      const found = await built(
        `ls -A; for d in . "$HOME" "$XDG_CACHE_HOME" "$TMPDIR"; do ls -A "$d" | grep deep || true; done; printenv TOKEN || echo none`,
        id,
        second,
      );
      t.equal(found, 'README\nnone\n');
    }
    t.match(await run('rent --tier local --days 1'), { code: 75, stderr: /no_capacity/ }, 'the first comes too late');
    t.match(await run('orders --status ready', second), {
      stdout: /RT-\S+ +ready +2 Macs of local for 1 day +20,000 won/,
    });
  });

  await t.test('a Mac for later is reserved while its slot is in use, and begins by itself', async (t) => {
    const begin = new Date((await advance(0)) + 3 * DAY).toISOString();
    const [later = ''] = await paid(`rent --tier local --days 1 --start ${begin}`, second);
    t.match(await detail(later, second), { state: 'reserved', mac_state: null, starts_at: begin });
    t.match(await run(`reset ${later} -y`, second), { code: 70, stderr: /rental_not_active/ });
    await advance(3 * DAY);
    const ready = async () => (await detail(later, second)).state === 'ready';
    await until(ready, 'the reserved Mac is ready');
    t.equal(await built('cat README', later, second), 'The smallest project.\n');
  });

  await t.test('in the end all rows fit together', async (t) => {
    const { checks } = (await admin(service, 'verify')) as { checks: { name: string; contradictions: unknown[] }[] };
    t.ok(checks.length > 20);
    t.same(
      checks.filter(({ contradictions }) => contradictions.length > 0),
      [],
    );
  });
});

const words = (text: string) => text.split(' ');

function tenant(service: Service, { key, ...who }: Omit<Tenant, 'place'> & { key: string }): Tenant {
  const place = makePlace(null);
  Object.assign(place.env, { CIDERMILL_URL: service.base_url, CIDERMILL_API_KEY: key });
  writeFileSync(join(place.project, 'README'), 'The smallest project.\n');
  return { place, ...who };
}

async function anotherTenant(service: Service): Promise<Tenant> {
  const { org_id: orgId } = (await admin(service, 'org create --name Second')) as { org_id: string };
  const { key } = (await admin(service, `key create --org ${orgId} --name k --levels read,build,manage`)) as {
    key: string;
  };
  const [email, password] = ['owner@second.example', 'correct horse battery'];
  await admin(service, `user create --email ${email} --password-stdin --org ${orgId} --role owner`, password);
  return tenant(service, { key, orgId, email, password });
}

async function admin(service: Service, args: string, input = ''): Promise<unknown> {
  const place = makePlace(null);
  try {
    const ran = await spawnCli(place, ['admin', ...words(args), '--data', service.data, '--json'], { input }).done;
    if (ran.code !== 0) throw new Error(`${args}: ${ran.stderr}`);
    return JSON.parse(ran.stdout);
  } finally {
    place.remove();
  }
}

/** The number of the order that a command waits for. */
async function waitsForPayment(running: Spawned): Promise<string> {
  await running.until('stderr', 'waiting for a person to consent and pay');
  return /RT-[\w-]+/.exec(running.output.stderr)?.[0] ?? '';
}

/** Signs in as the pay page does; a session does not outlast the days between two payments. */
async function signIn(service: Service, { email, password }: Tenant): Promise<string> {
  const answer = await fetch(`${service.runner_url}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

async function tryToPay(service: Service, who: Tenant, orderNo: string, more: object = {}): Promise<Response> {
  const cookie = await signIn(service, who);
  return fetch(`${service.runner_url}/v1/organizations/${who.orgId}/orders/${orderNo}/pay`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ consents: { terms: true, withdrawal: true }, ...more }),
  });
}

async function payAsPerson(service: Service, who: Tenant, orderNo: string, more: object): Promise<{ order: Order }> {
  const answer = await tryToPay(service, who, orderNo, more);
  const body = await answer.json();
  if (answer.status !== 200) throw new Error(JSON.stringify(body));
  return body as { order: Order };
}

async function notices(service: Service, who: Tenant): Promise<string> {
  const cookie = await signIn(service, who);
  const answer = await fetch(`${service.runner_url}/v1/organizations/${who.orgId}/notices`, {
    headers: { cookie },
  });
  return answer.text();
}

/** Files of the host that hold a text. */
function onHost(service: Service, text: string): string {
  try {
    return execFileSync('grep', ['-rlaF', text, join(service.data, 'host')], { encoding: 'utf8' });
  } catch (error) {
    // grep says with its exit code that there is nothing.
    if (error instanceof Error && 'status' in error && error.status === 1) return '';
    throw error;
  }
}
