// Macs that could not be prepared for a build: the build waits again, once, and the Mac until it has been repaired.
// Runs in: soak
import t from 'tap';
import { isFailedStart } from '../../control-plane/builds/domain/failed-start.js';
import { planRepair } from '../../control-plane/macs/domain/repair.js';
import type { BuildResult } from '../../shared/build.js';
import { eventsOf } from '../harness/build-host.js';
import { readyFact } from '../harness/desired-mac.js';
import { plainResult } from '../harness/plain-result.js';
import { addHost } from '../harness/renting.js';
import { MINUTE, show, submit, withMacs } from '../harness/submitting.js';
import { manifestOf, record, uploader } from '../harness/upload-bodies.js';

const broken: Partial<BuildResult> = {
  outcome: 'failed',
  exit_code: null,
  step: 'prepare',
  fault: 'platform',
  reason_code: 'workspace_failed',
  summary: 'The folders of the Mac could not be prepared: EPERM.',
};

t.test('which failures are caused by the Mac', async (t) => {
  const at = (more: Partial<BuildResult>) =>
    isFailedStart({
      outcome: 'failed',
      fault: 'platform',
      step: 'prepare',
      script_started_at: null,
      reason_code: 'workspace_failed',
      ...more,
    });
  t.equal(at({}), true);
  t.equal(at({ reason_code: 'internal_error' }), true, 'its build process could not begin');
  t.equal(at({ step: 'source' }), true, 'the work folder could not be changed');
  t.equal(at({ step: 'platform', reason_code: 'host_disk_full' }), true);
  t.equal(at({ step: 'source', reason_code: 'internal_error' }), false);
  t.equal(at({ step: 'source', reason_code: 'source_unavailable' }), false);
  t.equal(at({ step: 'source', reason_code: 'clone_failed', fault: 'customer' }), false);
  t.equal(at({ step: 'xcode', reason_code: 'xcode_missing' }), false);
  t.equal(at({ step: 'platform', reason_code: 'mac_lost' }), false);
  t.equal(at({ script_started_at: 1 }), false, 'the script may have done something');
  t.equal(at({ outcome: 'stopped' }), false);
});

t.test('a Mac that cannot be prepared takes no more builds, and its build goes to another one', async (t) => {
  const { h, host } = await withMacs(t, 2);
  const [bad = '', good = ''] = host.rentals;
  const { id } = await submit(h);
  await host.start();
  t.match(await show(h, id), { status: 'running' });
  await host.output(id, 'the folders are gone\n');
  await host.finish(id, broken);

  t.match(await show(h, id), { status: 'running', end_reason: null, failure: null });
  t.match(await host.desired(), [{ build_id: id, attempt: 2, spec: { rental_id: good } }]);
  const log = (await h.call('GET', `/builds/${id}/log?format=text`)).body;
  t.match(log, 'the folders are gone\n[cidermill] The Mac could not be prepared and is being repaired.');
  await host.start();
  await host.output(id, 'second\n');
  await host.finish(id);
  t.match(await show(h, id), { status: 'succeeded' });
  t.same(
    (await eventsOf(h, id)).map((event) => event.event_type),
    ['build.queued', 'build.started', 'build.succeeded', 'build.completed'],
    'it is not announced as started again',
  );
  t.equal((await h.call('GET', '/errors?kind=build')).json().errors.length, 0);

  t.match((await h.call('GET', `/rentals/${bad}`)).json(), { state: 'preparing' });
  const [first, second] = await host.macs();
  t.match([first?.rental_id, first?.repair, first?.revision, first?.generation], [bad, true, 2, 1]);
  t.match([second?.repair, second?.revision], [false, 1]);
});

t.test('on the only Mac the build waits for the repair, and fails the second time', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const { id } = await submit(h, { rental_id: mac });
  const other = await submit(h);
  await host.start();
  await host.finish(id, broken);
  t.match(await show(h, id), { status: 'queued', wait_reason: 'mac_in_maintenance', queue_position: 1 });
  t.match(await show(h, other.id), { status: 'queued', wait_reason: 'mac_in_maintenance' });
  t.same(await host.desired(), [], 'it draws no other builds to itself');
  await host.mac(mac, 'ready', { revision: 1 });
  t.match(await show(h, id), { status: 'queued' }, 'as it was before the repair');

  await host.mac(mac, 'ready');
  t.match(await show(h, id), { status: 'running' });
  await host.start();
  await host.finish(id, { ...broken, step: 'platform', reason_code: 'host_disk_full' });
  t.match(await show(h, id), {
    status: 'failed',
    end_reason: 'platform_error',
    failure: { category: 'platform', reason_code: 'host_disk_full' },
  });
  t.match(await show(h, other.id), { status: 'queued', wait_reason: 'mac_in_maintenance' });
  await h.pass(MINUTE);
  const [desired] = await host.macs();
  t.match(desired, { generation: 2, revision: 3, repair: true }, 'repairing its folders did not help');

  await host.mac(mac, 'ready');
  await host.start();
  await host.finish(other.id);
  t.match(await show(h, other.id), { status: 'succeeded' });
  t.match((await host.macs())[0], { generation: 2, revision: 3, repair: false });
  const third = await submit(h);
  await host.start();
  await host.finish(third.id, broken);
  t.match((await host.macs())[0], { generation: 2, revision: 4, repair: true }, 'its folders first again');
});

t.test('a build that is being stopped is not requeued; its Mac is repaired anyway', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const { id } = await submit(h);
  await host.start();
  await h.call('POST', `/builds/${id}/cancel`);
  await host.finish(id, broken);
  t.match(await show(h, id), { status: 'failed' });
  t.match((await host.macs())[0], { repair: true });
});

t.test('a Mac that cannot be repaired is made by another host', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const { id } = await submit(h);
  await host.start();
  await host.finish(id, broken);
  await host.mac(mac, 'failed', { error: 'EACCES' });
  t.match(await show(h, id), { status: 'queued' });
  const rental = await h.store.get<{ prepare_failed: number }>(
    'SELECT prepare_failed FROM macs WHERE rental_id = :mac',
    { mac },
  );
  t.equal(rental?.prepare_failed, 1);
});

t.test('a Mac whose repairs did not help twice in a row moves to another host', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const other = await addHost(h, 1);
  for (const what of ['its folders', 'the whole Mac', 'another host']) {
    t.match(await host.macs(), [{ rental_id: mac }]);
    const { id } = await submit(h);
    await host.start();
    const [running = id] = (await host.desired()).map((build) => build.build_id);
    await host.finish(running, broken);
    if (what === 'the whole Mac') {
      await h.pass(MINUTE);
    }
    if ((await host.macs()).length > 0) await host.mac(mac, 'ready');
  }
  t.same(await host.macs(), []);
  t.same(await other.rentalIds(), [mac]);
  await other.mac(mac, 'ready');
  t.match((await h.call('GET', `/rentals/${mac}`)).json(), { state: 'building' }, 'the builds go on there');
});

t.test('where no repair helps, builds wait for a growing time instead of failing in a row', async (t) => {
  const { h, host } = await withMacs(t, 1, { oneClock: true });
  const [mac = ''] = host.rentals;
  const begun = h.clock.now();
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.push((await submit(h)).id);
  const [one = '', two = '', three = ''] = ids;
  const attempts: [minute: number, id: string][] = [];
  const running = async () => (await host.desired()).map((build) => build.build_id);
  /** The host always says that it has repaired the Mac, and no build can be prepared there. */
  const attempt = async () => {
    await host.mac(mac, 'ready');
    const [id] = await running();
    if (id === undefined) return;
    attempts.push([(h.clock.now() - begun) / MINUTE, id]);
    await host.start();
    await host.finish(id, broken);
  };
  const passMinutes = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      await h.pass(MINUTE);
      await attempt();
    }
  };
  await attempt();
  t.notMatch((await h.inject({ url: '/healthz' })).body, 'repairs_failing', 'its first repair may help');
  await attempt();
  await attempt();
  t.same(attempts, [
    [0, one],
    [0, one],
  ]);
  t.match(await show(h, one), { status: 'failed', failure: { reason_code: 'workspace_failed' } });
  for (const id of [two, three]) {
    t.match(await show(h, id), { status: 'queued', wait_reason: 'mac_in_maintenance' });
  }
  const health = /^degraded: repairs_failing: Host .* cannot prepare builds on 1 Mac: 1 repair in a row did not help/m;
  t.match((await h.inject({ url: '/healthz' })).body, health);
  t.match(await host.macs(), [{ repair: false, generation: 1, revision: 2 }], 'the host is left alone');

  await passMinutes(3);
  t.same(attempts.slice(2), [
    [1, two],
    [3, two],
  ]);
  t.match(await show(h, two), { status: 'failed' });
  await passMinutes(4);
  t.same(attempts.slice(4), [[7, three]]);
  t.match(await show(h, three), { status: 'queued', wait_reason: 'mac_in_maintenance' }, 'it has a second try');

  // The control plane knows it from the database, however often the host connects.
  await host.disconnect();
  await host.connect();
  await h.macs.macFacts(host.hostId, (await host.macs()).map(readyFact), true);
  await h.workers.idle();
  t.same(await running(), []);

  await h.audit.run();
  await h.clock.advance(h.limits.audit_grace_ms);
  t.same(await h.audit.run(), [], 'a Mac that its host reports as ready and that waits is as it should be');

  // From now on builds can be prepared.
  await h.pass(8 * MINUTE - h.limits.audit_grace_ms);
  t.match(await host.macs(), [{ repair: true, generation: 5 }]);
  await host.mac(mac, 'ready');
  t.same(await running(), [three]);
  await host.start();
  await host.finish(three);
  t.match(await show(h, three), { status: 'succeeded' });
  t.notMatch((await h.inject({ url: '/healthz' })).body, 'repairs_failing');
  const { id } = await submit(h);
  t.same(await running(), [id]);
  await host.start();
  await host.finish(id, broken);
  t.match(await host.macs(), [{ repair: true }], 'the next repair begins at once again');
});

t.test('where no host can prepare builds, a Mac does not move between them without delay', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const [mac = ''] = host.rentals;
  const other = await addHost(h, 1);
  for (let at = 0; at < 6; at++) await submit(h);
  const begun = h.clock.now();
  const minutes: number[] = [];
  for (let minute = 0; minute <= 15; ) {
    const at = (await host.macs()).length > 0 ? host : other;
    await at.mac(mac, 'ready');
    const [running] = await h.runs.desiredBuilds(at.hostId);
    if (running) {
      minutes.push((h.clock.now() - begun) / MINUTE);
      await h.runs.finished(at.hostId, { ...running, result: plainResult(broken) });
    } else {
      minute++;
      await h.clock.advance(MINUTE);
    }
    await h.workers.idle();
  }
  t.same(minutes, [0, 0, 1, 1, 5, 13]);
});

t.test('the delay of a repair doubles up to its limit', async (t) => {
  const limits = { repair_delay_ms: MINUTE, repair_delay_max_ms: 30 * MINUTE };
  const delays = [...Array(8).keys(), 10_000].map((repairs) => {
    const { repairAt } = planRepair({ generation: 1, revision: 1, repairs }, 5, limits);
    return repairAt === undefined ? null : (repairAt - 5) / MINUTE;
  });
  t.same(delays, [null, 1, 2, 4, 8, 16, 30, 30, 30]);
});

t.test('a host that is low on disk space takes no builds', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const report = async (disk_free_bytes: number, disk_reserve_bytes?: number) => {
    const { inventory } = await h.hosts.get(host.hostId);
    if (!inventory) throw new Error('no inventory');
    const reserve = disk_reserve_bytes === undefined ? {} : { disk_reserve_bytes };
    await h.hosts.report(host.hostId, {
      inventory: { ...inventory, disk_free_bytes, ...reserve },
      draining: false,
    });
    await h.workers.idle();
  };
  await report(999, 1000);
  const { id } = await submit(h);
  t.match(await show(h, id), { status: 'queued', wait_reason: 'mac_in_maintenance' });
  const metrics = (await h.inject({ url: '/metrics' })).body;
  t.match(metrics, `cidermill_host_disk_low{host="${host.hostId}",name="test-mac"} 1`);
  t.match(metrics, `cidermill_host_disk_free_bytes{host="${host.hostId}",name="test-mac"} 999`);
  t.match((await h.inject({ url: '/healthz' })).body, /^degraded: host_disk_full: Host .* takes no builds/m);
  await report(1000, 1000);
  t.notMatch((await h.inject({ url: '/healthz' })).body, 'host_disk_full');
  t.match(await show(h, id), { status: 'running' });
});

t.test('a timeout names the step in which it occurred', async (t) => {
  const { h, host } = await withMacs(t, 1);
  for (const step of ['prepare', 'source', 'xcode', 'script', 'artifacts'] as const) {
    const { id } = await submit(h);
    await host.start();
    await host.finish(id, { outcome: 'stopped', stop_reason: 'timeout', exit_code: null, step });
    t.match(await show(h, id), { end_reason: 'timeout', failure: { step, reason_code: 'timeout' } }, step);
  }
});

t.test('the host learns which builds share a work folder', async (t) => {
  const { h, host } = await withMacs(t, 1);
  const keyOf = async (body: object) => {
    const { id } = await submit(h, { ...body });
    const key = (await host.desired())[0]?.spec?.source_key;
    await host.start();
    await host.finish(id);
    return key;
  };
  const { announce, sendBlobs } = uploader(h);
  const upload = async (project: string) => {
    const { id } = (await announce(manifestOf({ greeting: 'hello' }, project))).json();
    await sendBlobs(id, [record('hello')]);
    return id;
  };
  const ofUpload = async (project: string) => keyOf({ upload_id: await upload(project) });
  const app = await ofUpload('app');
  t.match(app, /^upload:ws_\w+:app$/);
  t.equal(await ofUpload('app'), app);
  t.not(await ofUpload('App'), app);
  t.equal(await keyOf({ repo: 'apple/swift' }), 'repo:apple/swift');
  t.equal(await keyOf({ repo: 'apple/swift', ref: 'other' }), 'repo:apple/swift');
  t.equal(await keyOf({ repo_url: 'https://gitlab.com/a/b.git' }), 'repo_url:https://gitlab.com/a/b.git');
});
