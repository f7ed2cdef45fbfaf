// Commands that change hosts, selected by id, name, tier or label: all of them or none.
// Runs in: soak
import t from 'tap';
import { changedLabels, MOST_LABELS } from '../../control-plane/hosts/domain/host-labels.js';
import { adminOf } from '../harness/admin.js';
import { type HostGiven, startFleet } from '../harness/fleet.js';

const rack: HostGiven[] = [
  { name: 'a', labels: { rack: '1', 'xcode-beta': 'yes' } },
  { name: 'b', labels: { rack: '1' } },
  { name: 'c', labels: { rack: '2' } },
  { name: 'twin', hostId: 'host_t1' },
  { name: 'twin', hostId: 'host_t2' },
  { name: 'host_a', hostId: 'host_liar' },
  { name: 'new', status: 'pending', tier: null },
  { name: 'old', status: 'removed' },
  { name: 'c', status: 'removed', hostId: 'host_c_before' },
];

async function open(t: Parameters<typeof startFleet>[0], given = rack) {
  const { h, admin } = await startFleet(t, given);
  return {
    h,
    host: (...argv: string[]) => admin('host', ...argv),
    states: async () => {
      const hosts = await h.hosts.list();
      return Object.fromEntries(hosts.map(({ hostId, status }) => [hostId, status]));
    },
  };
}

t.test('each way to select hosts', async (t) => {
  const { host, states } = await open(t);
  const before = await states();
  const cases: [words: string, expected: string[] | { code: string; message: RegExp; detail?: object }][] = [
    ['b', ['host_b']],
    ['host_b b host_b', ['host_b']],
    ['host_a', ['host_a']],
    ['c', ['host_c']],
    ['twin', { code: 'invalid_request', message: /host_t1, host_t2\. Use the id/ }],
    ['b nobody', { code: 'host_not_found', message: /"nobody"/ }],
    ['new', { code: 'host_state', message: /The host is pending; approve it first/ }],
    [
      'b new old',
      {
        code: 'host_state',
        message: /new \(host_new\): .*pending.*old \(host_old\): .*removed/,
        detail: {
          refusals: [
            { subject: 'new (host_new)', code: 'pending', params: {} },
            { subject: 'old (host_old)', code: 'removed', params: {} },
          ],
        },
      },
    ],
    ['', { code: 'invalid_request', message: /Name the hosts/ }],
    ['b --all', { code: 'invalid_request', message: /only one/ }],
    ['--tier m4 --label rack=1', { code: 'invalid_request', message: /only one/ }],
    ['--all', ['host_a', 'host_b', 'host_c', 'host_liar', 'host_t1', 'host_t2']],
    ['--tier m4', ['host_a', 'host_b', 'host_c', 'host_liar', 'host_t1', 'host_t2']],
    ['--tier m5', { code: 'host_not_found', message: /No host matches/ }],
    ['--label rack=1', ['host_a', 'host_b']],
    ['--label rack=1 --label xcode-beta=yes', ['host_a']],
    ['--label rack=3', { code: 'host_not_found', message: /No host matches/ }],
    ['--label rack', { code: 'commander.invalidArgument', message: /KEY=VALUE/ }],
  ];
  for (const [words, expected] of cases) {
    const drain = host('drain', ...words.split(' ').filter((word) => word !== ''));
    if (!Array.isArray(expected)) {
      await t.rejects(drain, expected, words);
      t.same(await states(), before, `${words}: nothing has changed`);
      continue;
    }
    await drain;
    const now = await states();
    t.same(
      Object.keys(now)
        .filter((id) => now[id] === 'draining')
        .sort(),
      expected,
      words,
    );
    await host('undrain', '--all');
    t.same(await states(), before, 'all are back');
  }
});

t.test('a command says what it changed of each host, and what was so already', async (t) => {
  const { h, host } = await open(t);
  await host('drain', 'a', '--reason', 'a loud\n\x1b[31mfan');
  t.match(await host('drain', '--all', '--reason', 'new switch'), {
    json: {
      hosts: [
        {
          name: 'a',
          status: 'draining',
          reason: 'new switch',
          changes: [{ field: 'reason', from: 'a loud fan', to: 'new switch' }],
        },
        { name: 'b', changes: [{ field: 'status', from: 'active', to: 'draining' }, { field: 'reason' }] },
        {},
        {},
        {
          name: 'new',
          changes: [],
          left_out: 'The host is pending; approve it first.',
          left_out_message: { code: 'pending', params: {}, text: 'The host is pending; approve it first.' },
        },
      ],
    },
    text: /^b +host_b +status draining \(was active\), reason new switch$/m,
  });
  const again = await host('drain', 'b', 'c');
  t.match(again.text, /^b +host_b +no change: is draining already$/m);
  t.match((await host('cordon', 'b')).json, {
    hosts: [{ status: 'cordoned', reason: 'new switch', status_by: 'operator token' }],
  });
  t.match((await host('undrain', 'b')).json, { hosts: [{ status: 'active', reason: null }] });
  for (const reason of ['', ' \u200b', 'x'.repeat(201)]) {
    await t.rejects(host('drain', 'c', '--reason', reason), {
      code: 'invalid_request',
      message: /^reason: (required|must have at most 200 characters)$/,
    });
  }
  await host('drain', 'c', '--reason', 'x'.repeat(200));
  t.equal((await h.hosts.get('host_c')).reason?.length, 200);
});

t.test('the audit log has an entry for each host that changed', async (t) => {
  const { h, host } = await open(t);
  await host('drain', 'a');
  await host('drain', '--label', 'rack=1');
  await host('drain', 'a', 'b');
  await t.rejects(host('drain', 'a', 'new'), { code: 'host_state' });
  await h.auditLog.close();
  const entries = await h.store.all<{ target: string; result: string }>(
    `SELECT target, result FROM audit_log WHERE action = 'host.drain' ORDER BY id`,
  );
  t.same(
    entries.map(({ target, result }) => `${target} ${result}`),
    ['host_a ok', 'host_b ok', 'a ok', 'a host_state'],
  );
});

t.test('more than one host is removed only with --yes', async (t) => {
  const { h, host, states } = await open(t);
  const before = await states();
  const { err } = await adminOf(h)(['host', 'remove', '--label', 'rack=1']);
  t.match(err, /removes 2 hosts: .* to remove them\. On the command line: --yes\./);
  for (const words of ['--label rack=2', '--all', 'a b']) {
    await t.rejects(
      host('remove', ...words.split(' ')),
      { code: 'invalid_request', message: /"confirmed": true/ },
      words,
    );
  }
  await t.rejects(host('remove', '--label', 'rack=1'), { message: /removes 2 hosts: a \(host_a\), b/ });
  t.same(await states(), before);
  await host('remove', 'c');
  await host('remove', '--label', 'rack=1', '--yes');
  t.match(await states(), { host_a: 'removed', host_b: 'removed', host_c: 'removed', host_t1: 'active' });
  t.match((await host('remove', 'host_a')).text, /is removed already/);
});

t.test('settings of several hosts change together', async (t) => {
  const { h, host } = await open(t);
  t.match((await host('set', '--of-label', 'rack=1', '--slots', '2', '--label', 'row=7', '--label', 'rack=')).json, {
    hosts: [
      {
        labels: { row: '7', 'xcode-beta': 'yes' },
        changes: [
          { field: 'slots', from: null, to: '2' },
          { field: 'labels', from: 'rack=1, xcode-beta=yes', to: 'row=7, xcode-beta=yes' },
        ],
      },
      { labels: { row: '7' } },
    ],
  });
  t.match((await host('set', 'a', '--slots', '2')).json, { hosts: [{ changes: [] }] });
  await t.rejects(host('set', 'b', 'new', '--slots', '3'), {
    code: 'host_state',
    message: /^new \(host_new\): The host has no tier yet/,
    detail: { refusals: [{ subject: 'new (host_new)', code: 'no_tier' }] },
  });
  t.equal((await h.hosts.slots('host_b')).length, 2, 'nothing has changed');
  await t.rejects(host('set', 'a', '--tier', 'm9'), { code: 'invalid_tier' });
  await t.rejects(host('set', 'a'), {
    code: 'invalid_request',
    message: /one of tier, slots, shared, labels, conflict_is_over is needed/,
  });
});

t.test('labels', (t) => {
  const many = Object.fromEntries([...Array(MOST_LABELS).keys()].map((i) => [`l${i}`, 'x']));
  t.same(Object.keys(changedLabels({ b: '1' }, { c: '2', a: 'x/y.z_1-2' })), ['a', 'b', 'c']);
  t.same(changedLabels({ a: '1', b: '2' }, { a: null, never: null }), { b: '2' });
  t.same(Object.keys(changedLabels(many, { l0: 'y' })).length, MOST_LABELS);
  t.throws(() => changedLabels(many, { more: 'x' }), { code: 'invalid_request', message: /at most 20/ });
  for (const bad of ['', 'A', '-a', 'a-', 'ü', 'a b', 'a=b', 'x'.repeat(64), '__proto__', 'a\n']) {
    t.throws(() => changedLabels({}, { [bad]: 'x' }), { code: 'invalid_request' }, `key ${bad}`);
    t.throws(() => changedLabels({}, { a: bad }), { code: 'invalid_request' }, `value ${bad}`);
  }
  t.end();
});
