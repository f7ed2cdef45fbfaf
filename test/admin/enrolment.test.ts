// Commands about tokens and approval codes.
// Runs in: soak
import t from 'tap';
import { withService } from '../../control-plane/admin/service.js';
import { printedBy } from '../harness/admin.js';
import { startHarness } from '../harness/harness.js';

/** Runs a command at a terminal where a person answers `typed`, or without a terminal. */
const admin = (data: string, argv: string[], typed?: string) =>
  printedBy([...argv, '--data', data], { readLine: async () => typed ?? '', interactive: typed !== undefined });

t.test('a reusable token is made, listed and revoked', async (t) => {
  const { data } = await startHarness(t);
  await admin(data, ['tier', 'add', '--tier', 'm4']);
  const until = ['--until', new Date(Date.now() + 86_400_000).toISOString()];
  for (const [wrong, message] of [
    [['--reusable', '--uses', '3'], /until: required/],
    [['--uses', '3'], /uses: needs "reusable": true/],
    [['--reusable', '--uses', '3', ...until, '--name', 'x'], /name: cannot be given with reusable/],
    [['--reusable', '--uses', '0', ...until], /uses: must be from 1 to 1000/],
    [['--reusable', '--uses', '3', '--until', '2020-01-01'], /until must be in the future/],
    [['--label', 'Rack=3'], /cannot be part of a label/],
  ] as const) {
    const { code, err } = await admin(data, ['host', 'enroll', ...wrong]);
    t.ok(code === 64 || code === 65, wrong.join(' '));
    t.match(err, message);
  }
  const labels = ['--label', 'rack=3', '--label', 'xcode-beta=yes'];
  const enroll = ['host', 'enroll', '--reusable', '--uses', '50', ...until, '--tier', 'm4', ...labels];
  const made = JSON.parse((await admin(data, [...enroll, '--json'])).out);
  t.match(made, { token: /^cme_/, id: /^enr_/, uses: 50 });
  const week = ['host', 'enroll', '--reusable', '--uses', '2', '--until', '7d', '--json'];
  const { expires_at } = JSON.parse((await admin(data, week)).out);
  t.ok(Math.abs(Date.parse(expires_at) - Date.now() - 7 * 86_400_000) < 60_000, expires_at);
  t.match((await admin(data, enroll)).out, /^cme_\S+\nvalid until \S+ for 50 hosts\n$/);
  const listed = JSON.parse((await admin(data, ['host', 'token', 'list', '--json'])).out);
  t.match(
    listed.tokens.find(({ id }: { id: string }) => id === made.id),
    { state: 'valid', used: 0, uses: 50, tier: 'm4', slots: 2, labels: { rack: '3', 'xcode-beta': 'yes' } },
  );
  t.notMatch(JSON.stringify(listed), made.token);
  t.match((await admin(data, ['host', 'token', 'revoke', made.id])).out, /is revoked; it was used 0 times/);
  t.match((await admin(data, ['host', 'token', 'list'])).out, new RegExp(`${made.id}  revoked  0 of 50 used  m4`));
  t.equal((await admin(data, ['host', 'token', 'revoke', 'enr_none'])).code, 65);
});

t.test('approve shows what asks, and asks before it approves', async (t) => {
  const h = await startHarness(t);
  const { data } = h;
  await admin(data, ['tier', 'add', '--tier', 'm4']);
  t.equal((await admin(data, ['host', 'approve', '--list'])).out, 'no machine waits for approval\n');
  const machine = { hostname: 'studio-7', os: 'macOS 26.1', chip: 'Apple M4 Pro', agent_version: '1.2.3' };
  const asked = { credential_hash: 'a'.repeat(64), ...machine };
  // Commands have the real time, the service of the test another one.
  const { code } = await withService(data, ({ hosts }) => hosts.requestApproval(asked, '192.0.2.7'));
  t.match(
    (await admin(data, ['host', 'approve', '--list'])).out,
    `${code}  studio-7  192.0.2.7  Apple M4 Pro  macOS 26.1`,
  );
  t.match(JSON.parse((await admin(data, ['host', 'approve', '--list', '--json'])).out), {
    approvals: [{ code }],
  });
  t.match((await admin(data, ['host', 'approve'])).err, /Give the code/);
  t.match(await admin(data, ['host', 'approve', 'BBBB-CCCC', '--slots', '1']), {
    code: 65,
    err: /No machine waits with the code BBBB-CCCC/,
  });

  const approve = ['host', 'approve', code.toLowerCase(), '--tier', 'm4', '--slots', '1'];
  t.match(await admin(data, approve), { code: 64, out: /Apple M4 Pro/, err: /Approve studio-7\? .*--yes/ });
  t.match(await admin(data, approve, 'n'), { code: 64, err: /Nothing was changed/ });
  const actions = async () =>
    (await h.store.all<{ action: string; target: string | null }>('SELECT action, target FROM audit_log')).filter(
      ({ action }) => action === 'host.approve',
    );
  t.same(
    (await actions()).filter(({ target }) => target?.startsWith('host_')),
    [],
    'a question is not audited',
  );
  const done = await admin(data, approve, 'y');
  t.match(done, { code: 0, out: /name {5}studio-7[\s\S]*is active\n$/, err: 'Approve studio-7? [y/N] ' });
  const [host] = await h.hosts.list();
  t.match(host, { name: 'studio-7', tier: 'm4', status: 'active' });
  t.match((await actions()).at(-1), { action: 'host.approve', target: host?.hostId });
  t.match(await admin(data, approve, 'y'), { code: 65 }, 'a code is approved once');
});
