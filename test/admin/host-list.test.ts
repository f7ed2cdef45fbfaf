// What an operator sees of the hosts: list, show, watch, and the wait for a drain.
// Runs in: soak
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { createProgram } from '../../control-plane/admin/cli.js';
import { type Execute, printed } from '../../control-plane/admin/command.js';
import { type DrainedHost, endOf } from '../../control-plane/admin/commands/hosts/drain-wait.js';
import { connectTo } from '../../control-plane/admin/operator-client.js';
import { builds } from '../../control-plane/builds/store/builds.js';
import { insertSlot } from '../../control-plane/hosts/store/slots.js';
import { macs } from '../../control-plane/macs/store/macs.js';
import type { Queries } from '../../control-plane/platform/store/sql.js';
import { createFleet } from '../../control-plane/start/app/fleet.js';
import { adminOf, commandsOf } from '../harness/admin.js';
import { startBuildHost } from '../harness/build-host.js';
import { type HostGiven, startFleet } from '../harness/fleet.js';
import type { Harness } from '../harness/harness.js';
import { START, startHarness } from '../harness/harness.js';
import { addHost, order } from '../harness/renting.js';

const MINUTE = 60_000;

/** Puts a Mac in both slots of each host, with a build on each. */
async function fill(h: Harness, hostIds: readonly string[]): Promise<void> {
  const now = h.clock.now();
  await h.store.transaction(async (tx) => {
    for (const hostId of hostIds) {
      for (const position of [1, 2]) {
        const [slotId, rentalId, buildId] = ['slot', 'mac', 'build'].map((kind) => `${kind}_${hostId}_${position}`);
        if (!slotId || !rentalId || !buildId) throw new Error('three names');
        await insertSlot(tx, { slotId, hostId, tier: 'm4', position, now });
        await macs.insert(tx, {
          rentalId,
          accountId: h.org.id,
          name: `Mac ${rentalId}`,
          slotId,
          tier: 'm4',
          xcode: null,
          state: 'building',
          buildId,
          usableUntil: now + 86_400_000,
          readyAt: now,
          preparingSince: null,
          createdAt: now,
        });
        await builds.insert(tx, {
          buildId,
          accountId: h.org.id,
          workspaceId: h.org.workspaceId,
          keyId: null,
          status: 'running',
          scriptId: 1,
          scriptExcerpt: 'make',
          scriptBytes: 4,
          uploadId: null,
          repo: 'o/n',
          repoUrl: null,
          ref: null,
          commit: null,
          pr: null,
          xcode: null,
          pinnedRentalId: null,
          rentalId,
          hostId,
          timeoutMin: 30,
          priority: 0,
          cleanTree: false,
          queueUntilRental: false,
          notifyUrl: null,
          createdAt: now,
          startedAt: now,
          queueClass: 'x',
          notifySecret: null,
          historyKey: null,
        });
      }
    }
  });
}

t.test('50 hosts with 100 Macs and builds: three queries, and a table that fits', async (t) => {
  const given: HostGiven[] = Array.from({ length: 50 }, (_, i) => ({
    name: `rack-${i + 1}`,
    labels: { row: `${i % 5}` },
    status: i === 3 ? 'draining' : 'active',
  }));
  const { h, admin } = await startFleet(t, given);
  await fill(
    h,
    given.map(({ name }) => `host_${name}`),
  );
  let queries = 0;
  const counting: Queries = {
    ...h.store,
    all: (sql, params) => {
      queries++;
      return h.store.all(sql, params);
    },
  };
  const all = await createFleet({ store: counting }).list();
  t.equal(queries, 3);
  t.same([all.length, all.flatMap((one) => one.slots).length, all.flatMap((one) => one.builds).length], [50, 100, 100]);

  const fitted = (await admin('host', 'list', '--columns', '120')).text.split('\n');
  t.equal(fitted.length, 51);
  t.match(fitted[0], /^NAME +STATE +WHY +TIER +SLOTS +RUNNING +SEEN +HEALTH/);
  t.match(fitted[4], /^rack-4 +draining +drained; never connected/);
  t.match(fitted[2], /^rack-2 +away +never connected s.* 2\/2 +apple-press build_/, 'rack-2 before rack-10');
  t.ok(Math.max(...fitted.map((line) => line.length)) <= 120);
  const wide = (await admin('host', 'list', '--wide', '--columns', '120')).text.split('\n');
  t.match(wide[0], /LABELS +CHIP +MEMORY +XCODE +HOST$/);
  t.match(wide[2], /apple-press build_host_rack-2_1, apple-press build_host_rack-2_2 .* row=1 .*host_rack-2$/);
  t.equal((await admin('host', 'list')).text, wide.join('\n'), 'a pipe has all columns');

  const counts = async (...words: string[]) => ((await admin('host', 'list', ...words)).json as Listed).hosts.length;
  t.equal(await counts('--state', 'draining'), 1);
  t.equal(await counts('--state', 'away'), 50);
  t.equal(await counts('--state', 'active'), 0);
  t.equal(await counts('--label', 'row=2'), 10);
  t.equal(await counts('--label', 'row=2', '--tier', 'm5'), 0);
  await t.rejects(admin('host', 'list', '--state', 'happy'), { code: 'commander.invalidArgument' });
  t.equal((await admin('host', 'list', '--tier', 'm5')).text, 'no host matches');
});

interface Listed {
  readonly hosts: Record<string, unknown>[];
}

t.test('what is wrong with a host is said once in its row', async (t) => {
  const { h, admin } = await startFleet(t, [{ name: 'sick' }, { name: 'warm' }]);
  const given = { sick: ['failed', 'warning'], warm: ['warning'] };
  for (const [name, found] of Object.entries(given)) {
    const findings = found.map((status, i) => ({ check: `check_${i}`, status, found: 'x', fix: 'y' }));
    const health = JSON.stringify({ checked_at: START, findings });
    await h.store.transaction((tx) =>
      tx.run('UPDATE hosts SET health = :health, connected = 1 WHERE name = :name', { health, name }),
    );
  }
  const [, sick = '', warm = ''] = (await admin('host', 'list', '--wide')).text.split('\n');
  t.match(sick, /^sick +active +unhealthy: check_0 .* failed /);
  t.equal(sick.split('check_0').length, 2);
  t.match(warm, /^warm +active .* 1 warning /);
  t.match((await admin('host', 'show', 'sick')).text, /failed: check_0; 1 warning|FAIL.*check_0|check_0.*\n.*y/s);
});

t.test('removed hosts are shown only on request', async (t) => {
  const { admin } = await startFleet(t, [{ name: 'here' }, { name: 'gone', status: 'removed' }]);
  const names = async (...words: string[]) =>
    ((await admin('host', 'list', ...words)).json as Listed).hosts.map(({ name }) => name);
  t.same(await names(), ['here']);
  t.same(await names('--state', 'removed'), ['gone']);
  t.match((await admin('host', 'show', 'gone')).json, {
    state: 'removed',
    reasons: [{ code: 'status_set', text: 'removed' }],
  });
});

t.test('a name cannot control the terminal of the operator', async (t) => {
  const { admin } = await startFleet(t, [{ name: 'a\x1b[2J\x1b]0;t\x07\u202eb\nhost  active', hostId: 'host_1' }]);
  for (const words of [['list'], ['show', 'host_1'], ['drain', 'host_1']]) {
    const lines = (await admin('host', ...words)).text.split('\n');
    t.notMatch(lines.join(''), /[\p{Cc}\p{Cf}]/u, words.join(' '));
    t.notOk(
      lines.some((line) => line.startsWith('host  active')),
      words.join(' '),
    );
  }
});

t.test('one host with everything that is known of it', async (t) => {
  const h = await startHarness(t);
  const admin = commandsOf(h);
  const show = (ref: string) => admin('host', 'show', ref);
  const host = await addHost(h, 3, { shared: true });
  const building = await startBuildHost(h, { macs: 1 });
  const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
  await h.workers.idle();
  await building.start();
  await order(h, { units: 2 });
  await h.clock.advance(3 * MINUTE);
  await host.disconnect();
  await h.clock.advance(MINUTE);
  await host.connect();
  const shown = await show(building.hostId);
  t.match(shown.json, {
    slots: 1,
    slots_taken: 1,
    running: [{ build_id: id, organization: { slug: 'apple-press' } }],
    slot_details: [{ position: 1, macs: [{ state: 'building', build_id: id, organization: { name: 'Apple Press' } }] }],
    connections: [{ ended_at: null }],
  });
  t.match(shown.text, new RegExp(`1 +building +Mac 1 +\\w+ +Apple Press \\(apple-press\\) +builds ${id} for 4m`));
  const other = await show(host.hostId);
  t.match(other.json, {
    state: 'active',
    slots: 3,
    slots_taken: 2,
    running: [],
    connections: [
      { connected_at: /^2026-03-01T09:04:00/, ended_at: null },
      { connected_at: new Date(START).toISOString(), ended_at: /^2026-03-01T09:03:00/ },
    ],
  });
  t.same(
    other.text
      .match(/^ {2}\d +(held by an unpaid order|free)$/gm)
      ?.map((line) => line.slice(5))
      .sort(),
    ['free', 'held by an unpaid order', 'held by an unpaid order'],
  );
  t.match(other.text, /recent connections\n.*still connected, 0s +0\.1\.0\n.* for 3m/);
});

t.test('the last 20 connections of a host are kept', async (t) => {
  const h = await startHarness(t);
  const host = await addHost(h, 1);
  for (let i = 0; i < 25; i++) {
    await h.clock.advance(MINUTE);
    await host.connect();
  }
  const links = await h.hosts.recentLinks(host.hostId);
  t.equal(links.length, 20);
  t.equal(links.filter(({ endedAt }) => endedAt === null).length, 1, 'the end of the others has been recorded');
  t.equal(links[0]?.connectedAt, START + 25 * MINUTE);
});

const OPERATOR = 'the-operator-of-this-mill';

/**
 * Runs a command as an operator on another machine, with a terminal. The service's time goes on while the command waits.
 * `after` has what happens after each page.
 *
 * @param stopAt closes the terminal after that many pages
 */
async function remotely(
  h: Harness,
  argv: readonly string[],
  { after = [], stopAt }: { after?: (() => Promise<unknown>)[]; stopAt?: number },
) {
  const url = `http://127.0.0.1:${(h.server.server.address() as AddressInfo).port}`;
  const pages: string[] = [];
  const write = (text: string) => {
    if (pages.push(text) === stopAt) throw new Error('the terminal is gone');
  };
  let [exit, handled] = [0, 0];
  const alone = () => Promise.reject(new Error('it has no service of its own'));
  const execute: Execute = async ({ json = false }, work) => {
    const code = await work({
      client: connectTo(url, OPERATOR, {}),
      isRemote: true,
      asJson: json,
      screen: { columns: 100, rows: 5 },
      show: (result) => write(printed(result, json)),
      write,
      confirm: async () => undefined,
      readLine: async () => '',
      async pause(ms) {
        if (pages.length > handled) await after[handled++]?.();
        await h.clock.advance(ms);
      },
      clock: h.clock,
    });
    exit = code ?? 0;
  };
  const program = createProgram({ write, complain: () => undefined }, execute, alone);
  const ended = program.parseAsync([...argv], { from: 'user' });
  if (stopAt === undefined) await ended;
  else await ended.catch(() => undefined);
  return { exit, pages };
}

t.test('an operator elsewhere', async (t) => {
  const h = await startHarness(t, { operatorToken: OPERATOR, oneClock: true });
  await h.server.listen({ port: 0, host: '127.0.0.1' });
  const host = await startBuildHost(h, { macs: 2 });
  const building = async () => {
    await h.clock.advance(1_000);
    const { id } = (await h.call('POST', '/builds', { body: { script: 'make', repo: 'o/n' } })).json();
    await h.workers.idle();
    await host.start();
    return id as string;
  };
  const undrain = () => h.hosts.change(host.hostId, 'undrain');
  const drain = (script: { after: (() => Promise<unknown>)[] }, ...options: string[]) =>
    remotely(h, ['host', 'drain', host.hostId, '--wait', ...options], script);

  await t.test('watches hosts', async (t) => {
    const { pages } = await remotely(h, ['host', 'list', '--watch'], { stopAt: 3 });
    for (const page of pages) t.match(page, /^\x1b\[H\d{4}-\S+Z {2}1 host: 1 active; 0 running builds\x1b\[K\nNAME/);
    t.equal(new Set(pages.map((page) => page.slice(3, 27))).size, 3, 'each at another time');
    for (const page of pages) t.ok(page.endsWith('\x1b[J'));
    for (const name of ['b', 'c', 'd', 'e']) {
      const { token } = await h.hosts.createEnrolment({ name, tier: 'm4', slots: 1 });
      await h.hosts.enrol({ token, hostname: name });
    }
    const many = await remotely(h, ['host', 'list', '--watch'], { stopAt: 1 });
    t.match(many.pages[0], /… \d more lines: make the window higher\x1b\[K\n\x1b\[J$/);
    t.equal(many.pages[0]?.split('\n').length, 5, 'the screen does not scroll');
    const lines = await remotely(h, ['host', 'list', '--watch', '--json'], { stopAt: 2 });
    t.match(
      lines.pages.map((line) => JSON.parse(line)),
      [{ hosts: Array, at: String }, { hosts: Array }],
    );
  });

  await t.test('waits until no build runs on a drained host', async (t) => {
    const [one, two] = [await building(), await building()];
    const { exit, pages } = await drain({
      after: [async () => undefined, () => host.finish(one), () => host.finish(two)],
    });
    t.equal(exit, 0);
    t.match(pages[0], /status draining \(was active\)/);
    t.match(pages[1], new RegExp(`still runs ${one} apple-press \\(\\S+\\), ${two}`));
    t.match(pages[2], new RegExp(`still runs ${two}`));
    t.match(pages[3], /no build runs\nNo build runs there now\.\n$/);
    t.equal(pages.length, 4, 'a page only for news');
    t.equal((await drain({ after: [] })).exit, 0, 'at once');
    await undrain();
  });

  await t.test('stops to wait after --timeout, when the drain has ended, and when the host is away', async (t) => {
    const id = await building();
    const late = await drain({ after: [] }, '--timeout', '1');
    t.equal(late.exit, 124);
    t.match(late.pages.at(-1), /Builds still run on \S+ \(host_\w+\)\. They stay draining\./);
    const before = h.clock.monotonic();
    const corrected = await drain({ after: [async () => h.clock.step(60 * MINUTE)] }, '--timeout', '1');
    t.equal(corrected.exit, 124);
    t.equal(h.clock.monotonic() - before, MINUTE, 'a corrected clock is no passing time');
    const undrained = await drain({ after: [undrain] });
    t.equal(undrained.exit, 65);
    t.match(undrained.pages.at(-1), /No longer draining/);
    const away = await drain({ after: [host.disconnect] });
    t.equal(away.exit, 75);
    t.match(away.pages.at(-1), /Not connected, so it is not known whether their builds have ended/);
    await host.connect();
    await host.finish(id);
    t.equal((await h.hosts.get(host.hostId)).status, 'draining', 'a wait that ends changes nothing');
    const refused = await adminOf(h)(['host', 'drain', host.hostId, '--timeout', '1']);
    t.match(refused, { code: 65, err: /--timeout is for --wait/ });
  });
});

t.test('how a wait for a drain ends', (t) => {
  const build = {
    build_id: 'b',
    rental_id: null,
    started_at: null,
    organization: { org_id: 'o', slug: 'o', name: 'o' },
  };
  const now = 10 * MINUTE;
  const one = ({ lastSeenAt, ...host }: Given, running = 1): DrainedHost => ({
    name: 'a',
    host_id: 'h',
    last_seen_at: new Date(lastSeenAt).toISOString(),
    running: Array(running).fill(build),
    ...host,
  });
  type Given = Pick<DrainedHost, 'status' | 'connected'> & { readonly lastSeenAt: number };
  const draining: Given = { status: 'draining', connected: true, lastSeenAt: now };
  const away = { ...draining, connected: false };
  const cases: [hosts: DrainedHost[], isLate: boolean, exit: number | null][] = [
    [[], false, 0],
    [[one(draining, 0)], false, 0],
    [[one({ ...away, lastSeenAt: 0 }, 0)], true, 0],
    [[one(draining)], false, null],
    [[one(draining)], true, 124],
    [[one({ ...away, lastSeenAt: now - MINUTE + 1 })], false, null],
    [[one({ ...away, lastSeenAt: now - MINUTE })], false, 75],
    [[one(draining, 0), one({ ...away, lastSeenAt: 0 })], true, 75],
    [[one({ ...draining, status: 'active' }, 0), one(draining)], false, null],
    [[one({ ...draining, status: 'active' })], true, 65],
    [[one({ ...draining, status: 'cordoned' })], false, 65],
    [[one({ ...draining, status: 'removed' })], false, null],
  ];
  for (const [hosts, isLate, exit] of cases) {
    t.equal(endOf(hosts, isLate, now)?.exitCode ?? null, exit, JSON.stringify([hosts, isLate]));
  }
  t.end();
});
