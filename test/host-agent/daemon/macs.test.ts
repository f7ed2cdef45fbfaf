// Reconciling the Macs of a host: steps, records, reports, and interruptions.
// Runs in: soak
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { dropAccountCaches } from '../../../host-agent/daemon/macs/account-caches.js';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { presentFact } from '../../../host-agent/daemon/macs/facts.js';
import { createMacReconciler, type MacReconciler } from '../../../host-agent/daemon/macs/mac-reconciler.js';
import { NewMacNeededError, NotInstalledError } from '../../../host-agent/driver/driver.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { parseRuntimes } from '../../../host-agent/driver/runtimes.js';
import { enrolHost } from '../../../host-agent/index.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { DesiredMac, MacFact, MacProgress } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { gate } from '../../harness/gate.js';
import { startLinkService } from '../../harness/link-service.js';
import { runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { tempFolder } from '../runner/rig.js';
import { type MemoryDriver, memoryDriver } from './test-agent.js';

const want = desiredMac({ xcode: '26.0', runtimes: ['iOS 26.0'], tools: ['tuist'] });
const later = { ...want, revision: 2, xcode: '26.1', tools: ['tuist', 'fastlane'] };

t.test('a Mac is created, changed and reset with the fewest steps, and progress is reported', async (t) => {
  const driver = memoryDriver();
  const swept: string[] = [];
  const changes = createMacChanges(driver, async () => void swept.push(driver.calls.at(-1) ?? ''));
  const reported: MacProgress[] = [];
  const bring = async (mac: DesiredMac) => {
    driver.calls.length = 0;
    await changes.bring(mac, (progress) => reported.push(progress));
    return driver.calls;
  };
  const make = [
    'create slot_1',
    'selectXcode slot_1 26.0',
    'installRuntime slot_1 iOS 26.0',
    'installTool slot_1 tuist',
  ];
  t.same(await bring(want), make);
  t.same(
    reported.map(({ step, percent }) => `${step} ${percent}`),
    ['create 0', 'xcode 25', 'runtimes 50', 'tools 75'],
  );
  t.same(await bring(want), [], 'nothing to do');
  t.same(await bring(later), ['selectXcode slot_1 26.1', 'installTool slot_1 fastlane']);
  t.match(driver.slots.get('slot_1'), { revision: 2, xcode: '26.1', tools: ['tuist', 'fastlane'] });
  t.same(await bring({ ...later, revision: 3, empty_work: true }), ['emptyWork slot_1']);
  t.same(await bring({ ...later, revision: 4, tools: [] }), [], 'what is no longer asked for may stay');
  swept.length = 0;
  t.same(await bring({ ...want, revision: 5, generation: 2 }), ['remove slot_1', ...make]);
  t.same(swept, ['remove slot_1'], 'before the new one is made');
  await changes.remove('slot_1');
  t.equal(driver.slots.size, 0);
});

t.test('a Mac whose virtual machine is switched off is started, before anything is changed in it', async (t) => {
  const driver = memoryDriver();
  const changes = createMacChanges(driver);
  await changes.bring(want, () => {});
  for (const [mac, calls] of [
    [want, ['start slot_1']],
    [later, ['start slot_1', 'selectXcode slot_1 26.1', 'installTool slot_1 fastlane']],
    [{ ...later, revision: 3, empty_work: true }, ['start slot_1', 'emptyWork slot_1']],
    [{ ...later, revision: 4, generation: 2 }, ['remove slot_1', 'create slot_1']],
  ] as const) {
    driver.stopped.add('slot_1');
    const [held] = await driver.listMacs();
    t.match(held && presentFact(held), { state: 'preparing', rental_id: 'rt_1' });
    driver.calls.length = 0;
    await changes.bring(mac, () => {});
    t.same(driver.calls.slice(0, calls.length), calls);
    driver.stopped.clear();
  }
});

t.test('an interrupted change is completed by the next attempt, and never counts before', async (t) => {
  const next = { ...later, runtimes: ['iOS 26.0', 'iOS 18.5'] };
  const starts: [string, DesiredMac | null, DesiredMac][] = [
    ['make', null, want],
    ['change', want, next],
    ['empty', want, { ...next, empty_work: true }],
    ['anew', want, { ...next, generation: 2 }],
  ];
  for (const [name, from, to] of starts) {
    for (let breaksAt = 1; ; breaksAt++) {
      const driver = memoryDriver();
      const changes = createMacChanges(driver);
      if (from) await changes.bring(from, () => {});
      const before = [...driver.slots.values()].at(0)?.revision ?? null;
      let steps = 0;
      driver.before = (call) => {
        if (++steps === breaksAt) throw new Error(`power failed: ${call}`);
      };
      const broke = await changes
        .bring(to, () => {})
        .then(
          () => false,
          () => true,
        );
      if (!broke) break;
      const held = driver.slots.get('slot_1');
      t.ok(!held || held.revision === before, `${name}, step ${breaksAt}: not reached`);
      driver.before = () => {};
      await changes.bring(to, () => {});
      const { rental_id, account_id, generation, revision, xcode, runtimes, tools } = to;
      t.same(
        driver.slots.get('slot_1'),
        { rental_id, account_id, generation, revision, xcode, runtimes, tools },
        `${name}, step ${breaksAt}`,
      );
      if (name === 'empty') t.ok(driver.calls.lastIndexOf('emptyWork slot_1') > -1);
    }
  }
});

t.test('after a failed change the Mac is as before; where that is unknown, the fact says so', async (t) => {
  const cases: [string, (call: string) => boolean, string | null][] = [
    ['the tool cannot be had: the old Xcode is selected again', (call) => call.includes('fastlane'), '26.0'],
    ['nor can the old Xcode', (call) => call.includes('fastlane') || call.includes('26.0'), null],
    ['the Xcode cannot be selected', (call) => call.includes('26.1'), '26.0'],
  ];
  for (const [name, fails, xcode] of cases) {
    const driver = memoryDriver();
    const changes = createMacChanges(driver);
    await changes.bring(want, () => {});
    driver.before = (call) => {
      if (fails(call)) throw new NotInstalledError('not here');
    };
    await t.rejects(
      changes.bring(later, () => {}),
      NotInstalledError,
    );
    t.match(driver.slots.get('slot_1'), { revision: 1, xcode, tools: ['tuist'] }, name);
  }
});

interface Kept {
  driver: MemoryDriver;
  reconciler: MacReconciler;
  want(...macs: DesiredMac[]): void;
  fact(match: (fact: MacFact) => boolean, what: string): Promise<MacFact>;
  kept: Set<number>[];
}

function keep(t: Test): Kept {
  const driver = memoryDriver();
  const kept: Set<number>[] = [];
  const reconciler = createMacReconciler({
    driver,
    inUse: () => false,
    changed: () => {},
    dropCaches: async (stillHere) => void kept.push(new Set(stillHere)),
    slots: () => null,
    clock: systemClock,
    limits: () => ({ ...defaultDaemonLimits, retryBaseMs: 1, retryMaxMs: 5, changeAttempts: 3 }),
    log: createLog('reconciler', 'silent'),
  });
  t.teardown(() => reconciler.close());
  return {
    driver,
    reconciler,
    kept,
    want: (...macs) => reconciler.want(macs, true),
    async fact(match, what) {
      let found: MacFact | undefined;
      await until(async () => {
        found = (await reconciler.facts()).find(match);
        return found !== undefined;
      }, what);
      if (!found) throw new Error(what);
      return found;
    },
  };
}

t.test('facts during a change: progress, refusal, recovery', async (t) => {
  const { driver, want: desire, fact } = keep(t);
  desire(want);
  await fact((f) => f.state === 'ready' && f.revision === 1, 'made');
  const { open, opened } = gate();
  driver.before = (call) => (call.includes('fastlane') ? opened : undefined);
  desire(later);
  t.match(await fact((f) => f.progress?.step === 'tools', 'at the tools'), {
    state: 'preparing',
    revision: 2,
    generation: 1,
    refused: null,
    progress: { percent: 50 },
  });
  open();
  t.match(await fact((f) => f.state === 'ready' && f.revision === 2, 'changed'), { xcode: '26.1' });

  driver.before = () => {
    throw new NotInstalledError('no such Xcode here');
  };
  driver.calls.length = 0;
  desire({ ...later, revision: 3, xcode: '27.0' });
  t.match(await fact((f) => f.refused !== null, 'refused at once'), {
    state: 'ready',
    revision: 2,
    error: 'no such Xcode here',
    refused: { revision: 3, code: 'not_installed', message: 'no such Xcode here' },
  });
  const tried = driver.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.equal(driver.calls.length, tried, 'and left alone');
  driver.before = () => {};
  desire({ ...later, revision: 3 });
  t.match(await fact((f) => f.state === 'ready' && f.revision === 3, 'back to what it was'), {
    xcode: '26.1',
  });
});

t.test('a Mac whose disk was away and is back is ready again, although it could not be made meanwhile', async (t) => {
  const { driver, reconciler, want: desire, fact } = keep(t);
  desire(want);
  await fact((f) => f.state === 'ready', 'made');
  const made = [...driver.slots];
  driver.slots.clear();
  driver.before = () => {
    throw new Error('read-only file system');
  };
  reconciler.reconcile();
  await fact((f) => f.refused !== null, 'lost, and not made anew');
  for (const [slotId, record] of made) driver.slots.set(slotId, record);
  t.match(await fact((f) => f.state === 'ready', 'back'), { revision: 1, error: null, refused: null });
  driver.slots.clear();
  reconciler.reconcile();
  await fact((f) => f.refused !== null, 'lost again');
  desire();
  await until(async () => (await reconciler.facts()).length === 0, 'nothing is said of a Mac that nobody wants');
});

t.test('a change is retried a few times; creating a Mac, without end', async (t) => {
  const { driver, want: desire, fact } = keep(t);
  let failures = 2;
  driver.before = () => {
    if (failures-- > 0) throw new Error('busy');
  };
  desire(want);
  await fact((f) => f.state === 'ready', 'made at the third try');
  const attempts = () => driver.calls.filter((call) => call.startsWith('emptyWork')).length;
  failures = Number.POSITIVE_INFINITY;
  desire({ ...want, revision: 2, empty_work: true });
  t.match(await fact((f) => f.refused !== null, 'given up'), {
    state: 'ready',
    revision: 1,
    refused: { revision: 2, code: 'failed', message: 'busy' },
  });
  t.equal(attempts(), 3);
  desire({ ...want, revision: 3, generation: 2 });
  t.match(await fact((f) => f.refused?.revision === 3, 'reported'), { state: 'failed', generation: 2 });
  failures = 0;
  await fact((f) => f.state === 'ready' && f.generation === 2, 'and made all the same');
});

t.test('a reset that keeps caches creates a new Mac if it cannot keep them', async (t) => {
  const { driver, want: desire, fact } = keep(t);
  desire(want);
  await fact((f) => f.state === 'ready', 'made');
  driver.calls.length = 0;
  driver.before = (call) => {
    if (call.startsWith('emptyWork')) throw new NewMacNeededError('nothing is known of this image');
  };
  desire({ ...want, revision: 2, empty_work: true });
  await fact((f) => f.state === 'ready' && f.revision === 2, 'made again');
  t.same(driver.calls.slice(0, 3), ['emptyWork slot_1', 'remove slot_1', 'create slot_1']);
});

t.test('a repaired Mac keeps installed software; one that cannot be repaired is created again', async (t) => {
  const { driver, want: desire, fact } = keep(t);
  desire(want);
  await fact((f) => f.state === 'ready', 'made');
  driver.calls.length = 0;
  desire({ ...want, revision: 2, repair: true });
  await fact((f) => f.state === 'ready' && f.revision === 2, 'repaired');
  t.same(driver.calls, ['repair slot_1']);

  driver.calls.length = 0;
  let broken = true;
  driver.before = (call) => {
    if (call.startsWith('repair')) throw new Error('EPERM');
    if (call.startsWith('remove') && broken) throw new Error('EACCES');
  };
  desire({ ...want, revision: 3, repair: true });
  t.match(await fact((f) => f.refused?.revision === 3, 'reported as refused'), {
    state: 'failed',
    error: 'EACCES',
  });
  broken = false;
  await fact((f) => f.state === 'ready' && f.revision === 3, 'and made all the same, as soon as that is possible');
  t.same(driver.calls.slice(-5), [
    'remove slot_1',
    'create slot_1',
    'selectXcode slot_1 26.0',
    'installRuntime slot_1 iOS 26.0',
    'installTool slot_1 tuist',
  ]);
});

t.test('no build or change begins in a reserved slot', async (t) => {
  const { driver, reconciler, want: desire, fact } = keep(t);
  desire(want);
  await fact((f) => f.state === 'ready', 'made');
  const done = await reconciler.whileIdle('slot_1', async () => {
    t.equal(reconciler.busy('slot_1'), true, 'no build');
    t.equal(await reconciler.whileIdle('slot_1', async () => void t.fail('twice')), false);
    desire(later);
    await reconciler.facts();
    t.match(driver.slots.get('slot_1'), { revision: 1 }, 'no change');
  });
  t.equal(done, true);
  await fact((f) => f.revision === 2, 'the change was only put off');
});

t.test("an account's caches are deleted with its last Mac, before the slot is used again", async (t) => {
  const { driver, want: desire, fact, kept } = keep(t);
  desire(want, desiredMac({ slot_id: 'slot_2', rental_id: 'rt_2', account_id: 2 }));
  await fact((f) => f.slot_id === 'slot_2' && f.state === 'ready', 'two tenants');
  kept.length = 0;
  driver.before = (call) => {
    if (call === 'create slot_2') t.notOk(kept.at(-1)?.has(2), 'gone before the next one is made');
  };
  desire(want, desiredMac({ slot_id: 'slot_2', rental_id: 'rt_3', account_id: 3 }));
  await fact((f) => f.rental_id === 'rt_3' && f.state === 'ready', 'the next tenant');
  t.same([...(kept.at(-1) ?? [])].sort(), [1, 3]);

  const dataDir = tempFolder(t);
  for (const name of ['cache/1/contents', 'cache/2/git', 'cache/3', 'cache/other']) {
    mkdirSync(join(dataDir, name), { recursive: true });
  }
  await dropAccountCaches(dataDir, new Set([1, 3]));
  t.same(readdirSync(join(dataDir, 'cache')).sort(), ['1', '3', 'other']);
  await dropAccountCaches(join(dataDir, 'nowhere'), new Set());
});

t.test('the local driver installs nothing: installed software is accepted, all else refused', async (t) => {
  const applicationsDir = applications(t, '26.0');
  const driver = createLocalDriver({ dataDir: tempFolder(t), applicationsDir });
  const changes = createMacChanges(driver);
  const bring = (given: Partial<DesiredMac>) => changes.bring(desiredMac(given), () => {});
  await bring({ xcode: '26.0', tools: ['sh', 'ls'] });
  t.match(await driver.listMacs(), [{ record: { xcode: '26.0', tools: ['sh', 'ls'] } }]);
  for (const [given, message] of [
    [{ xcode: '26.1' }, /^Xcode 26\.1 is not installed on this host, and the local driver installs nothing$/],
    [{ tools: ['no-such-tool'] }, /^The tool no-such-tool is not installed on this host/],
    [{ tools: ['../../bin/sh'] }, /^The tool /],
    [{ tools: ['/bin/sh'] }, /^The tool /],
    [{ runtimes: ['iOS 99'] }, /^The runtime iOS 99 is not installed on this host/],
  ] satisfies [Partial<DesiredMac>, RegExp][]) {
    await t.rejects(bring({ revision: 2, ...given }), { name: 'NotInstalledError', message });
  }
  t.match(await driver.listMacs(), [{ record: { revision: 1, xcode: '26.0' } }]);
  const listed =
    '{"runtimes":[{"name":"iOS 26.1","isAvailable":true},{"name":"iOS 9","isAvailable":false},{"name":"tvOS 26"}]}';
  t.same(parseRuntimes(listed), ['iOS 26.1', 'tvOS 26']);
});

/** Creates a folder like /Applications with these Xcodes. */
function applications(t: Test, ...versions: string[]): string {
  const folder = tempFolder(t);
  for (const version of versions) {
    const contents = join(folder, `Xcode-${version}.app`, 'Contents');
    mkdirSync(join(contents, 'Developer'), { recursive: true });
    writeFileSync(
      join(contents, 'Info.plist'),
      `<plist><dict><key>CFBundleShortVersionString</key><string>${version}</string></dict></plist>`,
    );
  }
  return folder;
}

t.test('an agent that is killed repeatedly during changes completes them all', async (t) => {
  const service = await startLinkService(t);
  // Its work folder is filled with thousands of files, which takes much longer in the checkout.
  const dataDir = join(tempFolder(t), 'host');
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const applications_dir = applications(t, '26.0', '26.1');
  const config = { control_plane: service.siteUrl, allow_unisolated: true, applications_dir };
  const { host_id } = await enrolHost({ dataDir, token, config });
  const main = fileURLToPath(new URL('../../../host-agent/main.js', import.meta.url));
  let agent: ChildProcess | null = null;
  const start = () => {
    const env = { ...process.env, NODE_OPTIONS: '', CIDERMILL_LOG_LEVEL: 'silent' };
    agent = spawn(process.execPath, [main, 'run', '--data', dataDir], { stdio: 'ignore', env });
  };
  const kill = async () => {
    if (!agent || agent.exitCode !== null || agent.signalCode !== null) return;
    agent.kill('SIGKILL');
    await once(agent, 'exit');
  };
  t.teardown(kill);
  const fact = () => service.builds.macFactsOf.get(host_id)?.find((f) => f.slot_id === 'slot_1');
  const desire = (mac: DesiredMac) => {
    service.builds.macs = [mac];
    service.wake.wake('host', host_id);
  };
  const record = () => JSON.parse(readFileSync(join(dataDir, 'macs', 'slot_1', 'mac.json'), 'utf8'));
  const work = join(dataDir, 'macs', 'slot_1', 'work');
  const fill = () => {
    for (let folder = 0; folder < 40; folder++) {
      mkdirSync(join(work, String(folder)), { recursive: true });
      for (let file = 0; file < 50; file++) writeFileSync(join(work, String(folder), String(file)), '');
    }
  };

  desire(desiredMac({ xcode: '26.0' }));
  start();
  await until(() => fact()?.state === 'ready', 'made');
  const home = join(dataDir, 'macs', 'slot_1', 'home');
  writeFileSync(join(home, 'kept'), '');
  let generation = 1;
  for (let revision = 2; revision <= runs(4, 7); revision++) {
    const anew = revision % 3 === 0;
    if (anew) generation += 1;
    fill();
    desire(desiredMac({ revision, generation, empty_work: !anew, xcode: revision % 2 ? '26.1' : '26.0' }));
    // Killed at different moments: while it reads the desire, empties, or writes the record.
    await new Promise((resolve) => setTimeout(resolve, (revision - 2) * 12));
    await kill();
    start();
    await until(() => fact()?.revision === revision && fact()?.state === 'ready', `revision ${revision}`);
    t.same(readdirSync(work), [], `revision ${revision}: no work of before`);
    t.match(record(), { revision, generation, xcode: revision % 2 ? '26.1' : '26.0' });
    t.same(readdirSync(join(dataDir, 'macs')), ['slot_1']);
    t.equal(existsSync(join(home, 'kept')), !anew, 'the home stays, but for a new Mac');
    writeFileSync(join(home, 'kept'), '');
  }
});
