// Xcodes, runtimes and tools of a guest: what an image offers, and how it is changed. The guest is that of the stand-in.
// Requires: plistutil
// Runs in: soak
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { inspectGuest, UnusableImageError } from '../../../host-agent/guest/software/inspect.js';
import { installRuntime } from '../../../host-agent/guest/software/install-runtime.js';
import { installTool } from '../../../host-agent/guest/software/install-tool.js';
import { selectXcode } from '../../../host-agent/guest/software/select-xcode.js';
import { defaultSoftwareLimits } from '../../../host-agent/limits.js';
import { openTartGuest, type TartGuest } from './tart-guest.js';

const STAND_IN = 'private/var/db/stand-in';
const percents = () => {
  const seen: number[] = [];
  return { seen, report: (percent: number) => void seen.push(percent) };
};
const limits = { ...defaultSoftwareLimits, runtimeRetryMs: 1, runtimePollMs: 1 };
/** Sets faults of the stand-ins of Xcode and Homebrew. */
function set(guest: TartGuest, name: string, text = ''): void {
  writeFileSync(guest.file(`${STAND_IN}/${name}`), text);
  chmodSync(guest.file(`${STAND_IN}/${name}`), 0o666);
}

const xcodes = [
  { version: '26.1', build: '17B55' },
  { version: '16.4', build: '16F6', licenseAccepted: false, firstLaunched: false },
  { version: '27.0', build: '18A5100a', app: 'Xcode_27-beta.app' },
  { version: '27.0', build: '18A324', app: 'Xcode-27.0.0.app' },
];

t.test('an inspection reports what an image offers', async (t) => {
  const guest = await openTartGuest(t, {
    xcodes,
    runtimes: [
      { platform: 'iOS', version: '26.1', build: '23B86' },
      { platform: 'iOS', version: '18.6', build: '22G86', state: 'Verifying' },
      { platform: 'watchOS', version: '26.1', build: '23S36' },
    ],
    tools: ['jq', 'node@24', 'swiftlint'],
  });
  const beta = guest.file('Applications/Xcode_27-beta.app/Contents/version.plist');
  execFileSync('plistutil', ['-i', beta, '-o', beta, '-f', 'bin']);
  await guest.sh(`
    cd /Applications
    sudo mkdir -p Old Tool.app/Contents Half.app/Contents/Developer
    sudo mv Xcode_16.4.app Old/Whatever.app
    sudo ln -s Xcode_26.1.app Xcode.app
  `);
  const { offers, selected, user, home, shell, freeBytes, xcodes: found } = await inspectGuest(guest.transport);
  t.equal(offers.macos, '26.1');
  t.same(offers.xcodes, [
    { version: '16.4', build: '16F6' },
    { version: '26.1', build: '17B55' },
    { version: '27.0', build: '18A324' },
  ]);
  t.same(offers.runtimes, ['iOS 26.1', 'watchOS 26.1']);
  for (const tool of ['git', 'jq', 'node@24', 'swiftlint']) {
    t.ok(offers.tools.includes(tool), tool);
  }
  t.same(
    found.map(({ developerDir, beta }) => [developerDir, beta]),
    [
      ['/Applications/Old/Whatever.app/Contents/Developer', false],
      ['/Applications/Xcode_26.1.app/Contents/Developer', false],
      ['/Applications/Xcode-27.0.0.app/Contents/Developer', false],
      ['/Applications/Xcode_27-beta.app/Contents/Developer', true],
    ],
  );
  t.equal(selected, '/Applications/Xcode_26.1.app/Contents/Developer');
  t.same({ user, home, shell }, { user: 'admin', home: '/Users/admin', shell: '/bin/zsh' });
  t.ok(freeBytes > 0);
});

t.test('an inspection of an image without Xcode, or with an unusable one', async (t) => {
  const guest = await openTartGuest(t, { xcodes: [], selected: null, runtimes: [], tools: [] });
  const { offers, selected } = await inspectGuest(guest.transport);
  t.same([offers.xcodes, offers.runtimes, selected], [[], [], null]);
  t.same(
    offers.tools.filter((tool) => ['git', 'java', 'python3'].includes(tool)),
    [],
    'placeholders of macOS are no tools',
  );
  await t.rejects(
    installRuntime(guest.transport, 'iOS 18.6', () => {}, { limits }),
    { name: 'NotInstalledError', message: /no Xcode is selected/ },
  );
  set(guest, 'sudo-asks');
  await t.rejects(inspectGuest(guest.transport), { name: 'UnusableImageError', message: /cannot use sudo/ });
});

t.test('the customer switches to another Xcode', async (t) => {
  const guest = await openTartGuest(t, { xcodes });
  const { transport } = guest;
  await guest.sh('xcrun simctl create One iPhone; xcrun simctl boot One');
  const state = () =>
    guest.sh(
      'xcode-select -p; xcodebuild -version -checkFirstLaunchStatus; xcrun simctl list devices -j | grep -c Booted || true',
    );
  await selectXcode(transport, '16.4');
  const now = '/Applications/Xcode_16.4.app/Contents/Developer\nXcode 16.4\nBuild version 16F6\n0\n';
  t.equal(await state(), now);
  await selectXcode(transport, '16.4');
  await t.rejects(selectXcode(transport, '15.4'), {
    name: 'NotInstalledError',
    message: "Xcode 15.4 is not installed in the Mac's image: it has 16.4, 26.1, 27.0",
  });
  t.equal(await state(), now, 'selecting it again changes nothing, nor does one that is not there');
});

t.test('a switch that fails halfway is reported, and the previous Xcode can be selected again', async (t) => {
  const guest = await openTartGuest(t, { xcodes });
  const { transport } = guest;
  set(guest, 'first-launch-fails');
  await t.rejects(selectXcode(transport, '16.4'), /the first launch of Xcode 16\.4 failed: Install Failed/);
  t.equal((await selectXcode(transport, '27.0')).build, '18A324', 'the release, not the beta');

  set(guest, 'xcode-select-has-no-effect');
  await t.rejects(
    selectXcode(transport, '26.1'),
    /Xcode 26\.1 was selected, but the selected folder is \/Applications\/Xcode-27\.0\.0\.app/,
  );

  const plist = guest.file('Applications/Xcode_16.4.app/Contents/Info.plist');
  writeFileSync(
    plist,
    readFileSync(plist, 'utf8').replace('<dict>', '<dict><key>LSMinimumSystemVersion</key><string>99.0</string>'),
  );
  await t.rejects(selectXcode(transport, '16.4'), {
    name: 'NotInstalledError',
    message: "Xcode 16.4 needs macOS 99.0; the Mac's image has 26.1",
  });
  t.match(await guest.sh('xcodebuild -version'), /Xcode 27\.0\n/, 'nothing has changed');
});

t.test('a runtime is downloaded once', async (t) => {
  const guest = await openTartGuest(t);
  const { transport } = guest;
  const first = percents();
  await installRuntime(transport, 'iOS 18.6', first.report, { limits });
  t.same(
    first.seen,
    [...first.seen].sort((a, b) => a - b),
  );
  t.ok(first.seen.length > 5 && first.seen.at(-1) === 100, String(first.seen));
  t.match(await guest.sh('xcrun simctl list runtimes'), /^iOS 18\.6 /m);
  const second = percents();
  await installRuntime(transport, 'iOS 18.6', second.report, { limits });
  t.same(second.seen, [100]);
  for (const name of ['iOS 99.0', 'iOS', 'macOS 26.1', '-exportPath /']) {
    await t.rejects(
      installRuntime(transport, name, () => {}, { limits }),
      { name: 'NotInstalledError' },
      name,
    );
  }
});

t.test('a command that sudo has started ends with its call', async (t) => {
  const guest = await openTartGuest(t);
  const stop = new AbortController();
  const call = runInGuest(guest.transport, ['sudo', '-n', 'sleep', '4005'], {
    timeoutMs: 60_000,
    signal: stop.signal,
  });
  const running = 'ps -ax -o command= | grep -q "[s]leep 4005"';
  await guest.sh(`until ${running}; do sleep 0.02; done`);
  stop.abort(new Error('enough'));
  await t.rejects(call, { message: 'enough' });
  await guest.sh(`while ${running}; do sleep 0.02; done`);
  t.pass('it has ended');
});

t.test('a download that fails', async (t) => {
  const guest = await openTartGuest(t);
  const install = (name: string, more = {}) =>
    installRuntime(guest.transport, name, () => {}, { limits: { ...limits, ...more } });
  set(guest, 'simulator-unreachable', '2');
  await install('tvOS 26.1 (23J579)');
  t.match(await guest.sh('xcrun simctl list runtimes'), /^tvOS 26\.1 /m, 'tried again until the service answers');
  set(guest, 'simulator-unreachable', '9');
  await t.rejects(install('iOS 26.2', { runtimeAttempts: 1 }), /Unable to connect to simulator/);
  set(guest, 'simulator-unreachable', '0');
  set(guest, 'download-hangs');
  await t.rejects(install('iOS 26.2', { runtimeStallMs: 300 }), { name: 'GuestError', code: 'stalled' });
  await guest.sh('while ps -ax -o command= | grep -q "[d]ownloadPlatform"; do sleep 0.02; done');
  rmSync(guest.file(`${STAND_IN}/download-hangs`));
  set(guest, 'disk-full');
  await t.rejects(install('iOS 26.2'), /the Mac's disk is full/);
  set(guest, 'offline');
  await t.rejects(install('iOS 26.2'), { name: 'Error', message: /does not reach Apple/ });
});

t.test('a runtime that the operator has fetched is imported, and its file is not left in the guest', async (t) => {
  const guest = await openTartGuest(t);
  set(guest, 'offline');
  const runtimesDir = path.join(t.testdirName, 'runtimes');
  mkdirSync(runtimesDir, { recursive: true });
  const padding = '\n'.repeat(3 * 1024 * 1024);
  writeFileSync(path.join(runtimesDir, 'iphonesimulator_18.4_22E238.dmg'), `iOS\t18.4\t22E238\n${padding}`);
  writeFileSync(path.join(runtimesDir, 'iphonesimulator_18.3_22D8075.dmg'), 'broken');
  const { seen, report } = percents();
  await installRuntime(guest.transport, 'iOS 18.4', report, { limits, runtimesDir });
  t.ok(seen.length >= 4 && seen.at(-1) === 100, String(seen));
  t.match(await guest.sh('xcrun simctl list runtimes'), /^iOS 18\.4 /m);
  await t.rejects(
    installRuntime(guest.transport, 'iOS 18.3', () => {}, { limits, runtimesDir }),
    /cannot be imported: .*not a valid simulator runtime image/,
  );
  t.equal(await guest.sh('ls /tmp | grep cidermill || true'), '');
});

t.test('a runtime that never becomes ready', async (t) => {
  const guest = await openTartGuest(t, {
    runtimes: [
      { platform: 'iOS', version: '18.6', build: '22G86', state: 'Verifying' },
      { platform: 'iOS', version: '18.4', build: '22E238', state: 'Unusable' },
    ],
  });
  const impatient = { limits: { ...limits, runtimeReadyMs: 10 } };
  await t.rejects(
    installRuntime(guest.transport, 'iOS 18.6', () => {}, impatient),
    /The runtime iOS 18\.6 was installed, but it is in state Verifying/,
  );
  await t.rejects(
    installRuntime(guest.transport, 'iOS 18.4', () => {}, { limits }),
    /is in state Unusable/,
  );
});

t.test('a tool is installed by Homebrew', async (t) => {
  const guest = await openTartGuest(t);
  const { transport } = guest;
  const { seen, report } = percents();
  await installTool(transport, 'swiftlint', report);
  t.equal(seen.at(-1), 100);
  t.match(await guest.sh('swiftlint'), /^swiftlint /);
  for (const name of ['jq', 'swiftlint', 'git']) {
    const known = percents();
    await installTool(transport, name, known.report);
    t.same(known.seen, [100], `${name} is there`);
  }
  await t.rejects(
    installTool(transport, 'swiftlnt', () => {}),
    {
      name: 'NotInstalledError',
      message: /^Homebrew has no tool swiftlnt/,
    },
  );
  await t.rejects(
    installTool(transport, '--force', () => {}),
    { name: 'NotInstalledError' },
  );
  await guest.sh('rm /opt/homebrew/bin/brew');
  await t.rejects(
    installTool(transport, 'cmake', () => {}),
    {
      name: 'NotInstalledError',
      message: "The tool cmake cannot be installed: the Mac's image has no Homebrew",
    },
  );
});

t.test('an image that cannot run builds is distinguished from an unreachable guest', async (t) => {
  const guest = await openTartGuest(t);
  await guest.sh('true');
  guest.host.fault('exec-refuses', '');
  guest.host.fault('connect-seconds', '0');
  await t.rejects(inspectGuest(guest.transport), { name: 'GuestUnreachableError' });
  guest.host.mend('exec-refuses');
  writeFileSync(guest.file('System/Library/CoreServices/SystemVersion.plist'), '');
  await t.rejects(inspectGuest(guest.transport), UnusableImageError);
});
