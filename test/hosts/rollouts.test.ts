// Upgrades of many hosts: canaries first, then the others, a few at a time; the first failure stops all.
import t, { type Test } from 'tap';
import { upgradeDegradations } from '../../control-plane/hosts/app/host-upgrades.js';
import { createHosts } from '../../control-plane/hosts/app/hosts.js';
import { advanceRollout, createRollouts } from '../../control-plane/hosts/app/rollouts.js';
import { rolloutView } from '../../control-plane/hosts/http/rollout-view.js';
import { shiftHosts } from '../../control-plane/hosts/store/open-spans.js';
import type { PackageFile } from '../../control-plane/packages/domain/package-file.js';
import { defaultLimits } from '../../control-plane/platform/domain/limits.js';
import { createWake } from '../../control-plane/platform/wake.js';
import { createAdvancingClock, systemClock } from '../../shared/clock.js';
import { uncoded } from '../../shared/messages/message.js';
import { upgradeError } from '../../shared/messages/upgrade-errors.js';
import type { HostUpgrade } from '../../shared/protocol/index.js';
import { onlyProcess } from '../harness/link-service.js';
import { openMigrated } from '../harness/migrated-database.js';
import { idle, inventory } from '../harness/upgrades.js';

const MINUTE = 60_000;
const file = (version: string): PackageFile => ({
  kind: 'host-agent',
  version,
  platform: 'darwin-arm64',
  bytes: 9,
  sha256: 'a'.repeat(64),
  file: '/x',
  name: `cidermill-host-agent-${version}-darwin-arm64.tar.gz`,
});

/** A service with packages of 1.0.0 and 2.0.0, and hosts m1, m2, … of version 1.0.0. */
async function world(t: Test, count: number) {
  const store = await openMigrated();
  t.teardown(() => store.close());
  const clock = createAdvancingClock({ start: Date.parse('2026-01-01T00:00:00Z') });
  const files = [file('2.0.0'), file('1.0.0')];
  const packages = {
    all: async () => files,
    hostAgent: async ({ version }: { version?: string } = {}) => files.find((one) => one.version === version) ?? null,
  };
  const deps = { store, clock, wake: createWake(systemClock), limits: defaultLimits, packages, processes: onlyProcess };
  const hosts = createHosts(deps);
  const ids: string[] = [];
  const connections = new Map<string, number>();
  const connect = async (name: string, agentVersion: string, upgrade: HostUpgrade | null) => {
    const hostId = idOf(name);
    const state = { inventory, draining: false, agentVersion, protocol: 2 };
    connections.set(hostId, (await hosts.connect(hostId, state)) ?? 0);
    await hosts.upgradeReported(hostId, upgrade);
  };
  const idOf = (name: string) => ids[Number(name.slice(1)) - 1] ?? '';
  for (let n = 1; n <= count; n++) {
    ids.push(`host_${n}`);
    await store.run(
      `INSERT INTO hosts (host_id, name, status, credential_hash, created_at) VALUES (:id, :name, 'active', :id, :n)`,
      { id: `host_${n}`, name: `m${n}`, n },
    );
    await connect(`m${n}`, '1.0.0', idle);
  }
  /** Another object for every call: nothing is kept in memory. */
  const rollouts = () => createRollouts(deps);
  const step = async () => {
    for (let before = ''; ; ) {
      await advanceRollout(deps);
      const now = JSON.stringify(await rollouts().show());
      if (now === before) return;
      before = now;
    }
  };
  const attempt = async () => (await rollouts().show())?.rollout.rolloutId ?? '';
  return {
    store,
    clock,
    hosts,
    rollouts,
    connect,
    step,
    begin: async (request: { version?: string; canaries?: number } = {}) => {
      await rollouts().begin({ all: true }, request);
      await step();
    },
    /** As `name: state`, of all hosts. */
    async states() {
      const shown = await rollouts().show();
      return Object.fromEntries(shown?.hosts.map(({ host, state }) => [host.name, state]) ?? []);
    },
    status: async () => (await rollouts().show())?.rollout,
    errorOf: async (name: string) => (await rollouts().show())?.hosts.find((one) => one.host.name === name)?.error,
    async runs(name: string, version: string) {
      await connect(name, version, { ...idle, attempt: await attempt(), version });
      await step();
    },
    async reports(name: string, upgrade: Partial<HostUpgrade>) {
      await hosts.upgradeReported(idOf(name), {
        ...idle,
        attempt: await attempt(),
        version: '2.0.0',
        ...upgrade,
      });
      await step();
    },
    leave: async (name: string) => {
      await hosts.disconnect(idOf(name), connections.get(idOf(name)) ?? 0);
      await step();
    },
    later: async (ms: number) => {
      await clock.advance(ms);
      await step();
    },
    wanted: (name: string) => hosts.wantedAgent(idOf(name)),
  };
}

t.test('the canary goes first, then the others three at a time', async (t) => {
  const w = await world(t, 6);
  await w.begin();
  t.same(await w.states(), { m1: 'upgrading', ...all(['m2', 'm3', 'm4', 'm5', 'm6'], 'waiting') });
  const { version, name, sha256, bytes } = file('2.0.0');
  t.match(await w.wanted('m1'), { version, name, sha256, bytes });
  t.equal(await w.wanted('m2'), null);
  await w.leave('m1');
  t.match(await w.states(), { m1: 'upgrading', m2: 'waiting' }, 'it restarts');
  await w.connect('m1', '2.0.0', { ...idle, version: '2.0.0', state: 'trying' });
  await w.step();
  t.match(await w.states(), { m1: 'upgrading' }, 'a version on trial has not proved to work');
  await w.runs('m1', '2.0.0');
  t.match(await w.states(), { m1: 'done', m2: 'waiting' });
  await w.later(9 * MINUTE);
  t.match(await w.states(), { m2: 'waiting' }, 'it is watched for a while');
  await w.later(1 * MINUTE);
  t.same(await w.states(), {
    m1: 'done',
    ...all(['m2', 'm3', 'm4'], 'upgrading'),
    ...all(['m5', 'm6'], 'waiting'),
  });
  for (const one of ['m2', 'm3', 'm4', 'm5', 'm6']) await w.runs(one, '2.0.0');
  t.match(await w.status(), { status: 'done', error: null });
  t.same(await upgradeDegradations(w.store), []);
});
const all = (names: string[], state: string) => Object.fromEntries(names.map((name) => [name, state]));

t.test('a step of the clock does not shorten the time for which canaries are watched', async (t) => {
  const w = await world(t, 2);
  await w.begin();
  await w.runs('m1', '2.0.0');
  await w.later(MINUTE);
  w.clock.step(60 * MINUTE);
  await w.store.transaction((tx) => shiftHosts(tx, 60 * MINUTE));
  await w.later(8 * MINUTE);
  t.match(await w.states(), { m2: 'waiting' });
  await w.later(MINUTE);
  t.match(await w.states(), { m2: 'upgrading' });
});

t.test('the first failure stops the upgrade of the other hosts', async (t) => {
  const failures: Record<string, [(w: Awaited<ReturnType<typeof world>>) => Promise<void>, RegExp]> = {
    'the new version was rolled back': [
      (w) => w.reports('m1', { state: 'rolled_back', error: 'Version 2.0.0 ended 3 times' }),
      /^m1: Version 2.0.0 ended 3 times$/,
    ],
    'it was not installed': [(w) => w.reports('m1', { state: 'failed', error: 'no room' }), /^m1: no room$/],
    'the host does not come back': [
      async (w) => {
        await w.leave('m1');
        await w.later(5 * MINUTE);
      },
      /^m1: it has not been connected for 5 min$/,
    ],
    'the host takes too long': [
      async (w) => {
        await w.later(44 * MINUTE);
        t.match(await w.status(), { status: 'running' });
        await w.later(MINUTE);
      },
      /^m1: it does not run the new version after 45 min$/,
    ],
    'the canary falls back while the others wait': [
      async (w) => {
        await w.runs('m1', '2.0.0');
        await w.connect('m1', '1.0.0', idle);
        await w.step();
      },
      /^m1: it runs 1.0.0 again$/,
    ],
    'the canary is gone while the others wait': [
      async (w) => {
        await w.runs('m1', '2.0.0');
        await w.leave('m1');
        await w.later(5 * MINUTE);
      },
      /^m1: it has not been connected for 5 min$/,
    ],
  };
  for (const [what, [fail, error]] of Object.entries(failures)) {
    const w = await world(t, 3);
    await w.begin();
    await fail(w);
    t.match(await w.status(), { status: 'failed', error }, what);
    t.same(await w.states(), { m1: 'failed', m2: 'left_out', m3: 'left_out' }, what);
    t.equal(await w.wanted('m2'), null);
    t.match(
      (await w.hosts.named('m1')).upgrade,
      { version: '2.0.0', state: /failed|rolled_back/ },
      'shown with the host',
    );
    t.match(await upgradeDegradations(w.store), [{ name: 'host_upgrade_failed', message: error.source.slice(1, 4) }]);
    await w.rollouts().cancel();
    t.same(await upgradeDegradations(w.store), [], 'until an operator has seen it');
  }
});

t.test('an older failure of a host does not count in the next attempt', async (t) => {
  const w = await world(t, 1);
  await w.begin();
  await w.reports('m1', { state: 'failed', error: 'no room' });
  await w.begin();
  t.match(await w.status(), { status: 'running' });
  await w.runs('m1', '2.0.0');
  t.match(await w.status(), { status: 'done' });
});

t.test('why it failed is a message, with the name of the host beside it', async (t) => {
  const w = await world(t, 2);
  const shown = async () => {
    const view = await w.rollouts().show();
    if (!view) throw new Error('no upgrade');
    return rolloutView(view);
  };
  const crashed = upgradeError('crashed', { to: '2.0.0', from: '1.0.0', times: 3 });
  await w.begin();
  const said = { error: crashed.text, error_message: { ...crashed } };
  await w.reports('m1', { state: 'rolled_back', ...said });
  t.match(await shown(), { error: `m1: ${crashed.text}`, error_host: 'm1', error_message: crashed });
  const [m1, m2] = (await shown()).hosts;
  t.match(m1, { error_message: crashed, upgrade: { error_message: crashed } });
  t.match(m2, { error_message: upgradeError('stopped_before') });
  await w.begin();
  await w.reports('m1', { state: 'failed', error: 'as it was' });
  t.match(await shown(), { error_host: 'm1', error_message: uncoded('as it was') }, 'of an older host');
  await w.store.run("UPDATE rollouts SET error = 'of a row', error_message = NULL, error_host = NULL");
  t.match(await shown(), { error: 'of a row', error_host: null, error_message: uncoded('of a row') });
});

t.test('hosts that cannot be upgraded are left out and named', async (t) => {
  const w = await world(t, 6);
  await w.connect('m1', '1.0.0', null);
  await w.connect('m2', '1.0.0', { ...idle, able: false, error: '/usr/local/cidermill is not writable' });
  await w.connect('m3', '1.0.0', { ...idle, platform: 'linux-x64' });
  await w.connect('m4', '2.0.0', idle);
  await w.connect('m5', '3.0.0', idle);
  await w.leave('m6');
  await w.begin();
  t.same(await w.states(), { ...all(['m1', 'm2', 'm3', 'm5', 'm6'], 'left_out'), m4: 'done' });
  t.match(await w.status(), { status: 'done' });
  t.match(await w.errorOf('m1'), 'too old to be upgraded');
  t.match(await w.errorOf('m2'), 'not writable');
  t.match(await w.errorOf('m3'), 'no package of 2.0.0 for linux-x64');
  t.match(await w.errorOf('m5'), 'runs the newer version 3.0.0');
  t.match(await w.errorOf('m6'), 'not connected');
});

t.test('a canary that is away gives its place to another; an older version is installed on request', async (t) => {
  const w = await world(t, 3);
  for (const name of ['m1', 'm2', 'm3']) await w.connect(name, '2.0.0', idle);
  await t.rejects(w.begin({ version: '9.9.9' }), {
    code: 'invalid_request',
    message: 'to: the service has no package of version 9.9.9; it has 2.0.0, 1.0.0',
    detail: { fields: [{ path: 'to', code: 'no_package', params: { version: '9.9.9', known: '2.0.0, 1.0.0' } }] },
  });
  await t.rejects(w.begin({ canaries: -1 }), { code: 'invalid_request' });
  await w.rollouts().begin({ all: true }, { version: '1.0.0' });
  await w.leave('m1');
  t.same(await w.states(), { m1: 'left_out', m2: 'upgrading', m3: 'waiting' });
  await t.rejects(w.begin(), { code: 'host_state', message: /An upgrade to 1.0.0 is running/ });
  await w.rollouts().cancel();
  t.same(await w.states(), all(['m1', 'm2', 'm3'], 'left_out'));
  t.equal(await w.wanted('m2'), null);
  await t.rejects(w.rollouts().cancel(), { code: 'host_state' });
});

t.test('if the canary is removed while the others wait, another one proves the version as long', async (t) => {
  const w = await world(t, 5);
  await w.begin();
  await w.runs('m1', '2.0.0');
  await w.later(9 * MINUTE);
  await w.hosts.revoke('host_1');
  await w.step();
  const others = all(['m3', 'm4', 'm5'], 'waiting');
  t.same(await w.states(), { m1: 'left_out', m2: 'upgrading', ...others });
  await w.later(MINUTE);
  t.match(await w.states(), { m2: 'upgrading', ...others }, 'the time of the first canary does not count');
  await w.runs('m2', '2.0.0');
  await w.later(9 * MINUTE);
  t.match(await w.states(), { m2: 'done', ...others });
  await w.later(MINUTE);
  t.match(await w.states(), all(['m3', 'm4', 'm5'], 'upgrading'));
});

t.test('without canaries, and on a single host, nothing waits', async (t) => {
  const several = await world(t, 5);
  await several.begin({ canaries: 0 });
  t.same(await several.states(), {
    ...all(['m1', 'm2', 'm3'], 'upgrading'),
    ...all(['m4', 'm5'], 'waiting'),
  });
  const one = await world(t, 1);
  await one.begin();
  await one.runs('m1', '2.0.0');
  t.match(await one.status(), { status: 'done' });
});
