// What an upgrade downloads and installs, and what it refuses. No agent is started here.
// Runs in: soak
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { createUpgrades, type UpgradesDeps } from '../../../host-agent/daemon/upgrades.js';
import { switchTo } from '../../../host-agent/installation/rollback.js';
import { readTrial } from '../../../host-agent/installation/trial.js';
import { upgradeByHand } from '../../../host-agent/installation/upgrade-by-hand.js';
import { lockUpgrades } from '../../../host-agent/installation/upgrade-lock.js';
import { currentVersion, installedVersions } from '../../../host-agent/installation/versions.js';
import { defaultDaemonLimits } from '../../../host-agent/limits.js';
import { createAdvancingClock, systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import type { DesiredAgent, HostUpgrade, MacFact } from '../../../shared/protocol/index.js';
import { openKey, type SigningKey, signSums } from '../../../tools/package/signing.js';
import { writeSums } from '../../../tools/package/sums.js';
import { until } from '../../harness/until.js';
import { tempFolder } from '../runner/rig.js';
import { layOut, measured, pack, topOf } from './small-package.js';
import { openRig, type Rig } from './upgrade-rig.js';

/** The daemon's part in upgrades, in this process, for version 1.0.0. */
async function open(t: Test, more: Partial<UpgradesDeps> = {}) {
  const rig = await openRig(t);
  const reports: HostUpgrade[] = [];
  let replaced = 0;
  const upgrades = createUpgrades({
    installation: { ...rig.paths, version: '1.0.0' },
    clock: systemClock,
    log: createLog('test', 'silent'),
    macs: { facts: async () => [] },
    builds: { facts: () => [] },
    limits: () => defaultDaemonLimits,
    keys: [],
    address: () => ({ siteUrl: rig.siteUrl, credential: 'x' }),
    send(message) {
      if (message.type === 'facts' && message.upgrade) reports.push(message.upgrade);
      return true;
    },
    replaced: () => replaced++,
    ...more,
  });
  t.teardown(() => upgrades.close());
  const ended = () => until(() => /idle|failed|restarting/.test(reports.at(-1)?.state ?? ''), 'the end of the upgrade');
  return { rig, reports, upgrades, replaced: () => replaced, ended };
}
const leftovers = ({ paths }: Rig) => readdirSync(paths.versions).filter((name) => name.startsWith('.'));

/** Makes an archive of a folder that `change` may change before. */
function packed(rig: Rig, version: string, change: (folder: string) => void): DesiredAgent {
  const wanted = pack(rig.store, version);
  change(join(rig.store, topOf(version)));
  execFileSync('tar', ['-czf', wanted.file, '-C', rig.store, topOf(version)]);
  return { ...wanted, ...measured(wanted.file) };
}

t.test(
  'a package is installed beside the current version, readable for all, and becomes the current one',
  async (t) => {
    const { rig, reports, upgrades, replaced, ended } = await open(t);
    upgrades.desire(rig.pack('2.0.0'));
    await ended();
    t.same(
      reports.map(({ state }) => state),
      ['downloading', 'installing', 'restarting'],
    );
    t.equal(replaced(), 1);
    t.equal(currentVersion(rig.paths), '2.0.0');
    t.same(installedVersions(rig.paths), ['1.0.0', '2.0.0']);
    t.match(readTrial(rig.paths), {
      to: '2.0.0',
      from: '1.0.0',
      attempt: 'up_2.0.0',
      needs: 'welcome',
      seconds: 60,
    });
    const mode = (name: string) => (statSync(join(rig.paths.versions, '2.0.0', name)).mode & 0o777).toString(8);
    t.same(['', 'bin', 'bin/cidermill', 'package.json'].map(mode), ['755', '755', '755', '644']);
    t.same(leftovers(rig), []);
  },
);

t.test('what cannot be installed leaves everything as it was, is reported, and is not tried again', async (t) => {
  const refused: Record<string, [(rig: Rig) => DesiredAgent, RegExp]> = {
    'another content': [(rig) => ({ ...rig.pack('2.0.0'), sha256: 'f'.repeat(64) }), /^the SHA-256 of .* not ffff/],
    'a package that is not there': [(rig) => ({ ...rig.pack('2.0.0'), name: 'gone.tar.gz' }), /^404 /],
    'a package that is longer': [(rig) => ({ ...rig.pack('2.0.0'), bytes: 100 }), /is longer than 100 bytes$/],
    'more than fits on the disk': [
      (rig) => ({ ...rig.pack('2.0.0'), bytes: 2 ** 50 }),
      /MB are free on the disk of .*versions, and \d+ MB are needed$/,
    ],
    'another version': [
      (rig) => ({ ...packed(rig, '2.0.0', (folder) => layOut(folder, '2.0.1')), version: '2.0.0' }),
      /^the archive contains version 2.0.1, not 2.0.0$/,
    ],
    'a runtime of another machine': [(rig) => rig.pack('2.0.0', 'unreadable'), /^version 2.0.0 does not run on this/],
    'a program that prints nothing': [
      (rig) => rig.pack('2.0.0', 'silent'),
      /^the program of version 2.0.0 reports the version/,
    ],
    'half an archive': [
      (rig) => {
        const wanted = rig.pack('2.0.0');
        truncateSync(wanted.file, 700);
        return { ...wanted, ...measured(wanted.file) };
      },
      /damaged|cut off/,
    ],
    'a link in the archive': [
      (rig) => packed(rig, '2.0.0', (folder) => symlinkSync('cidermill', join(folder, 'bin/other'))),
      /^the archive has links$/,
    ],
    'another top folder': [
      (rig) => {
        const wanted = rig.pack('2.0.0');
        execFileSync('tar', ['-czf', wanted.file, '-C', join(rig.store, topOf('2.0.0')), 'bin']);
        return { ...wanted, ...measured(wanted.file) };
      },
      /does not lie in "cidermill-host-agent-2.0.0"/,
    ],
  };
  for (const [what, [wants, error]] of Object.entries(refused)) {
    const { rig, reports, upgrades, replaced, ended } = await open(t);
    const wanted = wants(rig);
    upgrades.desire(wanted);
    await ended();
    t.match(reports.at(-1), { able: true, attempt: 'up_2.0.0', version: '2.0.0', state: 'failed', error }, what);
    const { length } = reports;
    upgrades.desire(wanted);
    t.equal(reports.length, length, 'once');
    t.same([currentVersion(rig.paths), replaced(), leftovers(rig)], ['1.0.0', 0, []], what);
    t.notOk(existsSync(join(rig.paths.root, 'trial')));
  }
});

t.test('a download continues where it was interrupted, also by a restart', async (t) => {
  const { rig, upgrades, ended } = await open(t);
  const wanted = rig.pack('2.0.0');
  const half = Math.floor(wanted.bytes / 2);
  let breakIt = () => {};
  rig.served.intercept = (answer, content, from) => {
    if (from > 0) return false;
    answer.writeHead(200, { 'content-length': content.length });
    answer.write(content.subarray(0, half));
    breakIt = () => answer.destroy();
    return true;
  };
  upgrades.desire(wanted);
  const partial = join(rig.paths.versions, `.download-${wanted.sha256}`);
  await until(() => existsSync(partial) && statSync(partial).size === half, 'half of it has arrived');
  breakIt();
  await ended();
  t.same(rig.served.ranges, [undefined, `bytes=${half}-`]);
  t.equal(currentVersion(rig.paths), '2.0.0');

  const next = await open(t);
  const again = next.rig.pack('2.0.0');
  const part = readFileSync(again.file).subarray(0, half);
  writeFileSync(join(next.rig.paths.versions, `.download-${again.sha256}`), part);
  next.upgrades.desire(again);
  await next.ended();
  t.same(next.rig.served.ranges, [`bytes=${half}-`]);
  t.equal(currentVersion(next.rig.paths), '2.0.0');
});

t.test('an upgrade that is no longer wanted is given up', async (t) => {
  const { rig, reports, upgrades, replaced } = await open(t);
  let asked = false;
  rig.served.intercept = (answer) => {
    asked = true;
    answer.writeHead(200).flushHeaders();
    return true;
  };
  upgrades.desire(rig.pack('2.0.0'));
  await until(() => asked, 'the request');
  upgrades.desire(null);
  await until(() => reports.at(-1)?.state === 'idle', 'given up');
  t.match(reports.at(-1), { attempt: null, error: null });
  rig.served.intercept = () => false;
  upgrades.desire(rig.pack('2.0.0'));
  await until(() => replaced() === 1, 'the same request can be made again');
});

t.test('an upgrade waits while Macs are changed, but not forever', async (t) => {
  const clock = createAdvancingClock({ start: 0 });
  const changing = { state: 'preparing', progress: null } as MacFact;
  let looks = 0;
  const macs = {
    async facts() {
      looks++;
      return [changing];
    },
  };
  const { rig, reports, upgrades, replaced } = await open(t, { clock, macs });
  upgrades.desire(rig.pack('2.0.0'));
  await until(() => looks > 0, 'it looks at the Macs');
  t.equal(reports.at(-1)?.state, 'installing');
  await until(async () => {
    if (replaced() === 0) await clock.advance(30_000);
    return replaced() === 1;
  }, 'it goes on');
  t.ok(clock.now() >= defaultDaemonLimits.upgradeMacsMs, `${clock.now()} ms`);
});

t.test('one upgrade at a time, and agents that cannot be upgraded say why', async (t) => {
  const { rig, reports, upgrades, ended } = await open(t);
  const unlock = lockUpgrades(rig.paths);
  t.throws(() => lockUpgrades(rig.paths), { message: /another upgrade is running \(process \d+\)/ });
  upgrades.desire(rig.pack('2.0.0'));
  await ended();
  t.match(reports.at(-1), { state: 'failed', error: /^another upgrade is running/ });
  unlock();
  const none = await open(t, { installation: null });
  t.match(none.upgrades.facts(), { able: false, error: 'this agent does not run from an installed package' });
  const missing = { ...rig.paths, version: '1.0.0', versions: join(rig.prefix, 'none') };
  t.match((await open(t, { installation: missing })).upgrades.facts(), {
    able: false,
    error: /none is not writable/,
  });
});

t.test('an operator installs an archive on the machine itself', async (t) => {
  const rig = await openRig(t);
  const said: string[] = [];
  const by = (archive: string, more: object = {}) =>
    upgradeByHand({
      installation: { ...rig.paths, version: '1.0.0' },
      archive,
      sha256: null,
      offline: false,
      agent: null,
      limits: defaultDaemonLimits,
      clock: systemClock,
      signal: new AbortController().signal,
      say: (text) => said.push(text),
      daemon: { ownsVersions: true, end: () => false, runs: () => false },
      ...more,
    });
  const { file, sha256 } = rig.pack('2.0.0');
  await t.rejects(by(join(rig.store, 'x.tar.gz')), { message: /is not named like a package/ });
  await t.rejects(by(file, { sha256: 'f'.repeat(64) }), { message: /^the SHA-256 of / });
  await t.rejects(by(file, { offline: true, sha256, limits: { ...defaultDaemonLimits, upgradeCheckMs: 1 } }), {
    message: /it did not print its version in time/,
  });
  await by(file, { offline: true, sha256 });
  t.match(readTrial(rig.paths), { to: '2.0.0', attempt: null, needs: 'start' });
  t.match(said.at(-1), 'version 2.0.0 is tried when the agent starts; 1.0.0 comes back if it does not work');
  await t.rejects(by(rig.pack('3.0.0').file), { message: /^version 2.0.0 is on trial; try again/ });
  rig.launchd.start();
  await until(() => readTrial(rig.paths) === null, 'it has started');
  await by(file);
  t.match(said.at(-1), 'version 2.0.0 is the current one already');

  mkdirSync(join(rig.paths.versions, '1.5.0'));
  const ends = {
    daemon: { ownsVersions: true, end: rig.launchd.kill, runs: () => false },
    limits: defaultDaemonLimits,
  };
  await t.rejects(by(rig.pack('4.0.0', 'crashes').file, ends), {
    message: /^Version 4.0.0 ended 3 times before it was/,
  });
  await by(rig.pack('3.0.0').file, ends);
  t.match(said.at(-1), 'version 3.0.0 works');
  const kept = () => installedVersions(rig.paths).join(' ');
  await until(() => kept() === '2.0.0 3.0.0', 'the agent has deleted the other versions');
});

t.test('where the agent may not replace itself, the command goes back to the version before', async (t) => {
  const rig = await openRig(t);
  const clock = createAdvancingClock({ start: 0 });
  let [ends, working] = [0, false];
  const by = (version: string) =>
    upgradeByHand({
      installation: { ...rig.paths, version: '1.0.0' },
      archive: rig.pack(version).file,
      sha256: null,
      agent: null,
      limits: defaultDaemonLimits,
      clock,
      signal: new AbortController().signal,
      offline: false,
      say() {},
      daemon: {
        ownsVersions: false,
        end: () => ++ends > 0,
        runs: (found) => working && found === version && currentVersion(rig.paths) === version,
      },
    });
  const failing = by('2.0.0');
  let over = false;
  const rejected = t.rejects(failing, {
    message: 'version 2.0.0 did not connect to the service in time; 1.0.0 runs again',
  });
  void rejected.then(() => {
    over = true;
  });
  await until(() => ends === 1, 'it is restarted');
  t.equal(currentVersion(rig.paths), '2.0.0');
  t.equal(readTrial(rig.paths), null, 'nothing that the agent could not write to');
  await until(async () => {
    await clock.advance(30_000);
    return over;
  }, 'it goes back');
  await rejected;
  t.same([currentVersion(rig.paths), ends], ['1.0.0', 2]);
  working = true;
  await by('3.0.0');
  t.equal(currentVersion(rig.paths), '3.0.0');
});

t.test('a trial of versions that an installer has replaced meanwhile ends', async (t) => {
  const rig = await openRig(t);
  layOut(join(rig.paths.versions, '2.0.0'), '2.0.0');
  switchTo(rig.paths, { to: '2.0.0', from: '1.0.0', attempt: null, needs: 'welcome', seconds: 1, most: 3 });
  layOut(join(rig.paths.versions, '3.0.0'), '3.0.0');
  const { upgrades } = await open(t, { installation: { ...rig.paths, version: '3.0.0' } });
  t.match(upgrades.facts(), { state: 'idle', error: null });
  t.equal(readTrial(rig.paths), null);
});

t.test('a package is installed only with the signature of a key of this agent', async (t) => {
  const folder = tempFolder(t);
  const [mine, next, other] = ['mine', 'next', 'other'].map((name) =>
    openKey(join(folder, name), { outsideOf: [], say() {} }),
  ) as [SigningKey, SigningKey, SigningKey];
  const keys = [mine.text, next.text];
  const cases: [string, (rig: Rig, wanted: DesiredAgent) => void, RegExp | null][] = [
    ['its key', ({ store }) => signSums(store, mine), null],
    ['the next key', ({ store }) => signSums(store, next), null],
    [
      'another key',
      ({ store }) => signSums(store, other),
      /^the package .* was not installed: it is signed with the key/,
    ],
    [
      'no signature',
      () => {},
      /^the packages of the service are not signed, and this agent installs signed ones only$/,
    ],
    [
      'sums that were changed afterwards',
      ({ store }) => {
        signSums(store, mine);
        appendFileSync(join(store, 'SHA256SUMS'), '\n');
      },
      /the signature is not of this content/,
    ],
    [
      'sums of other bytes',
      ({ store }, { name }) => {
        writeSums(store, [{ name, sha256: 'a'.repeat(64) }], false);
        signSums(store, mine);
      },
      /^the signed SHA-256 of .* is a{64}, not /,
    ],
    [
      'sums without it',
      ({ store }) => {
        writeSums(store, [], false);
        signSums(store, mine);
      },
      /SHA256SUMS does not name cidermill-host-agent-2\.0\.0/,
    ],
  ];
  for (const [what, sign, error] of cases) {
    const { rig, reports, upgrades, ended } = await open(t, { keys });
    const wanted = rig.pack('2.0.0');
    writeSums(rig.store, [wanted]);
    sign(rig, wanted);
    upgrades.desire(wanted);
    await ended();
    t.match(reports.at(-1), error === null ? { state: 'restarting' } : { state: 'failed', error }, what);
    t.equal(currentVersion(rig.paths), error === null ? '2.0.0' : '1.0.0', what);
    if (error !== null) t.same(leftovers(rig), [], 'nothing was downloaded');
  }
});
