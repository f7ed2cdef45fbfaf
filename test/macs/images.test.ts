// Images of tiers: what hosts report, what the catalog shows of it, and operators' pulls.
// Runs in: soak
import t, { type Test } from 'tap';
import { commandsOf } from '../harness/admin.js';
import { type Harness, startHarness } from '../harness/harness.js';
import { digestOf, imageFact, offers } from '../harness/images.js';
import { addHost, putM4, type RentingHost, rent } from '../harness/renting.js';

const [A, B] = [digestOf('a'), digestOf('b')];
const IMAGE = 'macos:26';

/** A service with the tier m4, which has an image and takes everything else from it. */
async function start(t: Test, limits = {}) {
  const h = await startHarness(t, { limits });
  const run = commandsOf(h);
  /** Runs a command of the operator; returns its JSON. */
  const admin = async <T = object>(...argv: string[]): Promise<T> => {
    const { json } = await run(...argv);
    await h.workers.idle();
    return json as T;
  };
  /** Returns what an operator sees of the image on a host. */
  const onHost = async ({ hostId }: RentingHost) => {
    const { hosts } = await admin<Shown>('image', 'show', 'm4');
    return hosts.find(({ host_id }) => host_id === hostId);
  };
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '10000', '--image', IMAGE, ...size);
  const text = async (...argv: string[]) => (await run(...argv)).text;
  return { h, admin, text, onHost };
}
interface Shown {
  readonly hosts: readonly { host_id: string; pull: { status: string; error: string | null } }[];
}
const size = ['--cpu-cores', '4', '--memory-gb', '8', '--disk-gb', '100'];

const wanted = async (h: Harness, { hostId }: RentingHost) => h.macs.desiredImages(hostId);
const tierOf = async (h: Harness, id = 'm4') => {
  const { tiers } = (await h.call('GET', '/catalog')).json();
  return tiers.find(({ tier }: { tier: string }) => tier === id);
};

t.test('a Mac is created from the digest to which the first host resolved the tag', async (t) => {
  const { h, admin, onHost } = await start(t);
  const [one, two] = [await addHost(h, 1, { driver: 'tart' }), await addHost(h, 1, { driver: 'tart' })];
  t.same(await wanted(h, one), [{ image: IMAGE, digest: null, pull: false }]);
  await one.images({ digest: A, state: 'pulling', percent: 5 });
  t.match(await admin('tier', 'show', 'm4'), { image: IMAGE, image_digest: null }, 'it may still fail');
  await one.images({ digest: A });
  t.match(await admin('tier', 'show', 'm4'), { image: IMAGE, image_digest: A });
  t.match(await admin('tier', 'list'), { tiers: [{ image: IMAGE, image_digest: A }] });
  await two.images({ digest: B });
  await two.images({ digest: B, percent: 3, state: 'pulling' });
  await two.images({ digest: B });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: A }, 'the tag has moved since');
  t.same(await wanted(h, two), [{ image: IMAGE, digest: A, pull: false }]);
  t.match([await onHost(one), await onHost(two)], [{ holds: true }, { holds: false, digest: B }]);
  await rent(h, one);
  const [mac] = await h.macs.desiredMacs(one.hostId);
  const vm = { image: IMAGE, image_digest: A, cpu_cores: 4, memory_gb: 8, disk_gb: 100 };
  t.match(mac, vm);
  await admin('tier', 'edit', '--tier', 'm4', '--image', IMAGE, '--memory-gb', '16');
  const [after] = await h.macs.desiredMacs(one.hostId);
  t.match(after, { image_digest: null, memory_gb: 16, revision: mac?.revision, generation: mac?.generation });
  await one.images({ digest: A });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: null }, 'it may be older than the change');
  await one.images({ digest: A, state: 'pulling' });
  await one.images({ digest: A });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: A }, 'it is still the newest');
  await admin('tier', 'edit', '--tier', 'm4', '--image', `macos@${B}`);
  t.match(await wanted(h, one), [{ image: `macos@${B}`, digest: B }], 'no host has to resolve it');
});

t.test('a tag that two tiers name is resolved again only for the tier whose image was set', async (t) => {
  const { h, admin } = await start(t);
  await admin('tier', 'add', '--tier', 'm2', '--image', `${IMAGE}`);
  const [one, other] = [await addHost(h, 1, { driver: 'tart' }), await addHost(h, 1, { driver: 'tart' })];
  await h.hosts.configure(other.hostId, { tier: 'm2' });
  await one.images({ digest: A });
  await other.images({ digest: A });
  await admin('tier', 'edit', '--tier', 'm4', '--image', IMAGE);
  await one.images({ digest: A }, { digest: null, state: 'absent' });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: null }, 'of the other tier');
  await one.images({ digest: A }, { digest: A });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: A });
});

t.test('only hosts of a tier that are in service decide what its image is', async (t) => {
  const { h, admin } = await start(t);
  await admin('tier', 'add', '--tier', 'm2', '--image', IMAGE);
  const [m4, foreign] = [await addHost(h, 1, { driver: 'tart' }), await addHost(h, 1, { driver: 'tart' })];
  await h.hosts.configure(foreign.hostId, { tier: 'm2' });
  const { token } = await h.hosts.createEnrolment({ slots: 1 });
  const pending = (await h.hosts.enrol({ token, hostname: 'new' })).host_id;
  await h.macs.imageFacts(pending, [imageFact({ digest: B, offers: offers() })]);
  await foreign.images({ digest: B, offers: offers({ xcodes: ['99'] }) });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: null, xcode_versions: [] });
  t.match(await admin('tier', 'show', 'm2'), { image_digest: B, xcode_versions: ['99'] });
  await m4.images({ digest: A }, { digest: B });
  t.match(await admin('tier', 'show', 'm4'), { image_digest: A });
  t.same(await wanted(h, m4), [
    { image: IMAGE, digest: B, pull: false },
    { image: IMAGE, digest: A, pull: false },
  ]);
});

t.test('the catalog shows what the image offers, except values that an operator has given', async (t) => {
  const { h, admin } = await start(t);
  const host = await addHost(h, 1, { driver: 'tart' });
  await host.images({ digest: A });
  t.match(await tierOf(h), { xcode_versions: [], default_xcode: null, tools: [] });
  await host.images({ digest: A, offers: offers({ xcodes: ['26.1', '27-beta', '26.0'] }) });
  const offered = {
    xcode_versions: ['26.0', '26.1', '27-beta'],
    default_xcode: '26.1',
    runtimes: ['iOS 26.1'],
    tools: ['tuist'],
    spec: { cpu_cores: 4, macos: '26.1' },
  };
  t.match(await tierOf(h), offered);
  const order = (xcode: string) => h.call('POST', '/orders', { body: { tier: 'm4', hours: 24, setup: { xcode } } });
  t.equal((await order('16.2')).json().error.code, 'xcode_not_available');
  const [rental = ''] = await rent(h, host, { setup: { xcode: '26.0' } });
  const change = (body: object) => h.call('PATCH', `/rentals/${rental}`, { body: { keep_cache: true, ...body } });
  t.match((await change({ xcode: '9' })).json().error, { options: offered.xcode_versions });
  t.match((await change({ tools: ['x'] })).json().error, { options: ['tuist'] });
  t.equal((await change({ xcode: '26.1', tools: ['tuist'] })).statusCode, 200);

  const edit = (...options: string[]) => admin('tier', 'edit', '--tier', 'm4', ...options);
  t.match(await edit('--xcode', '26.0', '--tools', ''), {
    default_xcode: '26.0',
    from_image: ['default_xcode', 'runtimes', 'macos'],
  });
  t.match(await tierOf(h), { xcode_versions: ['26.0'], tools: [], runtimes: ['iOS 26.1'] });
  await t.rejects(edit('--default-xcode', '26.1'), { code: 'invalid_request' });
  t.match(await edit('--xcode', 'auto', '--tools', 'auto'), { default_xcode: '26.1' }, 'at once');
  t.match(await tierOf(h), offered);
  await edit('--default-xcode', '26.0', '--macos', 'Tahoe');
  await edit('--image', 'macos:27');
  t.match(await tierOf(h), { ...offered, default_xcode: '26.0', spec: { macos: 'Tahoe' } }, 'until it is known');
  await host.images({ image: 'macos:27', digest: B, offers: offers({ xcodes: ['26.0', '27.0'] }) });
  t.match(await tierOf(h), { xcode_versions: ['26.0', '27.0'], default_xcode: '26.0' });
  await edit('--default-xcode', 'auto', '--macos', 'auto');
  t.match(await tierOf(h), { default_xcode: '27.0', spec: { macos: '26.1' } });
});

t.test('the first inspection of a digest decides what the image offers; later ones are compared', async (t) => {
  const { h, admin, onHost } = await start(t);
  const [one, two] = [await addHost(h, 1, { driver: 'tart' }), await addHost(h, 1, { driver: 'tart' })];
  await one.images({ digest: A, offers: offers() });
  await two.images({ digest: A, offers: offers({ xcodes: ['26.0', '26.1', '99.9'] }) });
  t.match(await tierOf(h), { xcode_versions: ['26.0', '26.1'] });
  t.match([await onHost(one), await onHost(two)], [{ offers_differ: false }, { offers_differ: true }]);
  const { body } = await h.inject({ url: '/healthz' });
  t.match(body, new RegExp(`^degraded: image_offers: Host mac \\(${two.hostId}\\) reports other contents .* m4`, 'm'));
  await two.images({ digest: A, offers: offers() });
  t.notMatch((await h.inject({ url: '/healthz' })).body, 'image_offers');

  await admin('tier', 'edit', '--tier', 'm4', '--image', IMAGE);
  await two.images({ digest: null, state: 'absent' });
  await two.images({ digest: A, offers: offers({ xcodes: ['26.1'] }) });
  t.match(await tierOf(h), { xcode_versions: ['26.1'] }, 'an operator has the image resolved anew');
  await one.images({ digest: A, offers: offers() });
  t.match([await onHost(one), await onHost(two)], [{ offers_differ: true }, { offers_differ: false }]);
});

t.test(
  'a Mac keeps the offers of its image when the tier gets another image; a new Mac gets the new image',
  async (t) => {
    const { h, admin } = await start(t);
    const host = await addHost(h, 2, { driver: 'tart' });
    await host.images({ digest: A, offers: offers({ xcodes: ['16.1', '16.2'], tools: ['old'] }) });
    const [rental = ''] = await rent(h, host, { setup: { xcode: '16.1' } });
    const made = { image_digest: A };
    await host.mac(rental, 'preparing', made);
    await host.mac(rental, 'ready', made);
    await admin('tier', 'edit', '--tier', 'm4', '--image', 'macos:27');
    await host.images({
      image: 'macos:27',
      digest: B,
      offers: offers({ xcodes: ['27.0', '27.1'], tools: ['new'] }),
    });
    t.match(await tierOf(h), { xcode_versions: ['27.0', '27.1'], tools: ['new'] });
    const shown = async () => (await h.call('GET', `/rentals/${rental}`)).json();
    t.match(await shown(), { xcode: '16.1', setup_options: { xcode: ['16.1', '16.2'], tools: ['old'] } });
    const xcode = async (version: string) => {
      const answer = await h.call('POST', `/rentals/${rental}/xcode`, { body: { version } });
      return answer.json().error?.code ?? answer.json().result;
    };
    t.equal(await xcode('27.0'), 'xcode_not_available');
    t.equal(await xcode('16.2'), 'accepted');
    await host.mac(rental, 'ready', made);
    await h.call('POST', '/rentals/reset', { body: { all: true, keep_cache: false } });
    await h.workers.idle();
    const [desired] = await h.macs.desiredMacs(host.hostId);
    t.match(desired, { image: 'macos:27', image_digest: B, xcode: '27.1', generation: 2 });
    await host.mac(rental, 'ready', { image_digest: B });
    t.match(await shown(), { xcode: '27.1', setup_options: { xcode: ['27.0', '27.1'], tools: ['new'] } });
  },
);

t.test('the migration keeps the values that operators gave to tiers', async (t) => {
  const { h } = await start(t);
  await putM4(h, { image: IMAGE });
  const host = await addHost(h, 1, { driver: 'tart' });
  await host.images({ digest: A, offers: offers() });
  t.match(await tierOf(h), {
    xcode_versions: ['16.2', '16.1'],
    default_xcode: '16.2',
    runtimes: ['iOS 18.2'],
  });
});

t.test('a host of virtual machines offers no third one', async (t) => {
  const { h, admin } = await start(t);
  const { hostId } = await addHost(h, 1, { driver: 'tart' });
  await t.rejects(admin('host', 'set', hostId, '--slots', '3'), { code: 'host_state', message: /at most 2/ });
  await admin('host', 'set', hostId, '--slots', '2');
  t.equal((await h.hosts.slots(hostId)).length, 2);

  await t.test('for any number of slots in its token', async (t) => {
    const enrolled = await addHost(h, 4, { driver: 'lume' });
    t.equal((await h.hosts.slots(enrolled.hostId)).length, 2);
    await putM4(h, { tier: 'm2' });
    await admin('host', 'set', enrolled.hostId, '--tier', 'm2');
    t.equal((await h.hosts.slots(enrolled.hostId)).length, 2);
    const folders = await addHost(h, 4, { driver: 'local' });
    t.equal((await h.hosts.slots(folders.hostId)).length, 4);
  });

  await t.test('a token for more is refused if the tier has an image', async (t) => {
    await putM4(h, { image: IMAGE });
    await t.rejects(admin('host', 'enroll', '--tier', 'm4', '--slots', '3'), {
      code: 'invalid_request',
      message: /slots: must be at most 2/,
    });
    await admin('host', 'enroll', '--tier', 'm4', '--slots', '2');
  });
});

t.test('a Mac cannot have more cores or memory than the hosts of its tier', async (t) => {
  const { h, admin } = await start(t);
  const edit = (...values: string[]) => admin('tier', 'edit', '--tier', 'm4', ...values);
  const most = (number: number) => ({ code: 'invalid_request', message: new RegExp(`at most ${number}\\b`) });
  await edit('--memory-gb', '64', '--cpu-cores', '32');
  await t.rejects(edit('--memory-gb', '99999'), most(4096));
  await t.rejects(edit('--disk-gb', '99999999'), {
    code: 'invalid_request',
    message: /disk_gb: must be at most/,
  });
  await addHost(h, 1, { driver: 'local' });
  await edit('--memory-gb', '32', '--cpu-cores', '12');
  await addHost(h, 1, { driver: 'tart' });
  await edit('--name', 'Mac', '--chip', 'M4');
  await t.rejects(edit('--memory-gb', '17', '--cpu-cores', '8'), most(16));
  await t.rejects(edit('--cpu-cores', '9', '--memory-gb', '16'), { message: /cpu_cores: must be at most 8/ });
  await edit('--memory-gb', '16', '--cpu-cores', '8');
});

t.test('values that a tier does not have are not shown as zero', async (t) => {
  const { admin, text } = await start(t);
  await admin('tier', 'add', '--tier', 'plain');
  t.match(await text('tier', 'show', 'plain'), /^Mac +not set$/m);
  await admin('tier', 'edit', '--tier', 'plain', '--chip', 'Apple M4', '--cpu-cores', '10');
  t.match(await text('tier', 'show', 'plain'), /^Mac +Apple M4, 10 cores$/m);
});

t.test('what became of a fetch is not shown of the next image of the tier', async (t) => {
  const { h, admin, onHost } = await start(t);
  const host = await addHost(h, 1, { driver: 'tart' });
  await admin('image', 'pull', '--tier', 'm4');
  await h.clock.advance(1);
  await host.images({ digest: A, state: 'failed', error: 'manifest unknown' });
  t.match((await onHost(host))?.pull, { status: 'failed' });
  await admin('tier', 'edit', '--tier', 'm4', '--price-won', '9000');
  t.match((await onHost(host))?.pull, { status: 'failed' });
  await admin('tier', 'edit', '--tier', 'm4', '--image', 'macos:27');
  t.equal((await onHost(host))?.pull, null);
  await admin('image', 'pull', '--tier', 'm4');
  await admin('tier', 'edit', '--tier', 'm4', '--image', 'macos:28');
  t.match((await onHost(host))?.pull, { status: 'running' }, 'a fetch that was asked for fetches the new one');
});

t.test('hosts fetch an image in turn when an operator asks for it', async (t) => {
  const { h, admin, onHost } = await start(t, { image_pulls_at_once: 1 });
  const [one, two, three] = [
    await addHost(h, 1, { driver: 'tart' }),
    await addHost(h, 1, { driver: 'tart' }),
    await addHost(h, 1, { driver: 'tart' }),
  ];
  await two.disconnect();
  const all = await admin<{ hosts: string[] }>('image', 'pull', '--tier', 'm4');
  t.same([...all.hosts].sort(), [one, two, three].map(({ hostId }) => hostId).sort());
  const pulling = async () => {
    const pulls: number[] = [];
    for (const [n, host] of [one, two, three].entries()) if ((await wanted(h, host))[0]?.pull) pulls.push(n);
    return pulls;
  };
  const statuses = async () => {
    const shown = [await onHost(one), await onHost(two), await onHost(three)];
    return shown.map((host) => host?.pull.status);
  };
  const [first = 0] = await pulling();
  t.same(await statuses(), first === 0 ? ['running', 'queued', 'queued'] : ['queued', 'queued', 'running']);
  const [now, next] = first === 0 ? [one, three] : [three, one];
  await now.images({ digest: A, state: 'pulling', percent: 40 });
  t.match(await admin('image', 'show', 'm4'), { image_digest: null });
  await h.clock.advance(1);
  await now.images({ digest: A });
  t.same(await pulling(), [first === 0 ? 2 : 0], 'the next one begins');
  t.match(await wanted(h, next), [{ digest: A, pull: true }]);
  await admin('image', 'pull', '--tier', 'm4', '--host', next.hostId);
  t.same(await pulling(), [first === 0 ? 2 : 0], 'twice is once');
  await h.clock.advance(1);
  await next.images({ digest: A, state: 'failed', error: 'no space' });
  t.same((await statuses()).filter((status) => status === 'failed').length, 1);
  t.same(await pulling(), [], 'the last one is away');
  await two.connect();
  t.same(await pulling(), [1]);
  await two.disconnect();
  await two.connect();
  t.same(await pulling(), [1], 'again');
  await h.hosts.disconnectAll();
  h.wake.wakeAll();
  await h.workers.idle();
  t.same(await pulling(), [], 'the service has restarted');
  for (const host of [one, three, two]) await host.connect();
  t.same(await pulling(), [1], 'and goes on');
  await h.pass(h.limits.image_pull_silent_ms + 1);
  t.equal((await statuses())[1], 'failed');
  const shown = await admin<{ images: Shown[] }>('image', 'list');
  const errors = shown.images[0]?.hosts.map(({ pull }) => pull.error).sort();
  t.same(errors, ['The host has reported no progress for 30 minutes.', 'no space', null].sort());
  await admin('image', 'pull', '--tier', 'm4', '--host', now.hostId);
  t.equal((await statuses())[first], 'done', 'it has the image');
});

t.test('an impossible pull is refused, and every pull is audited', async (t) => {
  const { h, admin } = await start(t);
  const pull = (...options: string[]) => admin('image', 'pull', ...options);
  await t.rejects(pull('--tier', 'm4'), { code: 'invalid_request', message: /no hosts/ });
  await admin('tier', 'add', '--tier', 'plain');
  const host = await addHost(h, 1, { driver: 'tart' });
  await t.rejects(pull('--tier', 'plain'), { code: 'invalid_request', message: /no image/ });
  await t.rejects(pull('--tier', 'none'), { code: 'invalid_tier' });
  await t.rejects(pull('--tier', 'm4', '--host', 'host_none'), { code: 'host_not_found' });
  await admin('tier', 'add', '--tier', 'm2', '--image', 'x');
  await t.rejects(pull('--tier', 'm2', '--host', host.hostId), { code: 'host_state' });
  for (const image of ['-v', 'a b', '../x;rm'])
    await t.rejects(admin('tier', 'edit', '--tier', 'm2', `--image=${image}`), { code: 'invalid_request' }, image);
  await pull('--tier', 'm4', '--host', 'mac');
  await h.hosts.change(host.hostId, 'remove');
  await h.workers.idle();
  const rows = await h.store.all(`SELECT status, error FROM image_pulls`);
  t.same(rows, [{ status: 'failed', error: 'The host has been removed.' }]);
  // Failures are written a moment later.
  await h.auditLog.newest();
  const entries = await h.store.all<{ target: string; result: string }>(
    `SELECT target, result FROM audit_log WHERE action = 'image.pull' ORDER BY id`,
  );
  t.equal(entries.length, 6);
  t.match(
    entries.findLast(({ result }) => result === 'ok'),
    { target: host.hostId },
  );
});
