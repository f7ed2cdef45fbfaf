// What the programs of a guest print about its software: Xcodes, runtimes, downloads, Homebrew.
import fc from 'fast-check';
import t from 'tap';
import {
  brewFailure,
  createBrewProgress,
  isToolName,
  toolNames,
} from '../../../host-agent/guest/software/brew-output.js';
import { downloadFailure, downloadPercent } from '../../../host-agent/guest/software/download-output.js';
import {
  matching,
  parseAvailableRuntimes,
  parseRuntimeList,
  readyNames,
} from '../../../host-agent/guest/software/runtime-list.js';
import { parseRuntimeName, runtimeFile } from '../../../host-agent/guest/software/runtime-names.js';
import { inOrder, isBetaBuild, parseXcode, runsOn, xcodeOf } from '../../../host-agent/guest/software/xcodes.js';

const plist = (values: Record<string, string>) => {
  const pairs = Object.entries(values).map(([key, value]) => `<key>${key}</key><string>${value}</string>`);
  return `<?xml version="1.0"?><plist version="1.0"><dict>${pairs.join('')}</dict></plist>`;
};

t.test('names of runtimes', async (t) => {
  for (const [name, expected] of [
    ['iOS 26.1', { platform: 'iOS', version: '26.1', build: null }],
    ['iOS 26.1 (23B86)', { platform: 'iOS', version: '26.1', build: '23B86' }],
    ['watchOS 11', { platform: 'watchOS', version: '11', build: null }],
    ['xrOS 2.0', { platform: 'visionOS', version: '2.0', build: null }],
    ['iPhoneSimulator 18.2', { platform: 'iOS', version: '18.2', build: null }],
    ['iOS', null],
    ['iOS 26.1; rm -rf /', null],
    ['iOS -exportPath', null],
    ['-downloadAllPlatforms 1', null],
    ['constructor 1', null],
    ['macOS 26.1', null],
  ] as const) {
    t.same(parseRuntimeName(name), expected, name);
  }
});

t.test('a file that the operator has fetched is found by platform and version', async (t) => {
  const files = [
    'iphonesimulator_26.1_23B86.dmg',
    'iphonesimulator_26.1_23B90.dmg',
    'iOS_17.2_Simulator_Runtime.dmg',
    'iOS 16 Simulator Runtime.dmg',
    'watchsimulator_26.1_23S50.dmg',
    'iphonesimulator_26.2_23C54.dmg.part',
    'notes.dmg',
    '26.3.dmg',
  ];
  const find = (name: string) => runtimeFile(files, parseRuntimeName(name)!);
  t.equal(find('iOS 26.1'), 'iphonesimulator_26.1_23B90.dmg');
  t.equal(find('iOS 26.1 (23B86)'), 'iphonesimulator_26.1_23B86.dmg');
  t.equal(find('iOS 17.2'), 'iOS_17.2_Simulator_Runtime.dmg');
  t.equal(find('iOS 16.0'), 'iOS 16 Simulator Runtime.dmg');
  t.equal(find('watchOS 26.1'), 'watchsimulator_26.1_23S50.dmg');
  t.equal(find('iOS 26.2'), null, 'a download that is not complete');
  t.equal(find('tvOS 26.1'), null);
});

const image = (identifier: string, version: string, build: string, state: string) => ({
  identifier: 'A',
  runtimeIdentifier: `com.apple.CoreSimulator.SimRuntime.${identifier}`,
  version,
  build,
  state,
  kind: 'Disk Image',
  deletable: true,
  sizeBytes: 1,
});

t.test('the list of disk images names ready runtimes', async (t) => {
  const json = JSON.stringify({
    A: image('iOS-17-0', '17.0.1', '21A342', 'Ready'),
    B: image('iOS-26-1', '26.1', '23B86', 'Verifying'),
    C: image('xrOS-2-2', '2.2', '22N840', 'Ready'),
    D: { state: 'Ready', version: '11.5', platformIdentifier: 'com.apple.platform.watchsimulator' },
    E: { state: 'Ready', version: 26, runtimeIdentifier: [] },
    F: null,
    G: image('iOS-17-0', '17.0', '21A328', 'Unusable'),
  });
  const runtimes = parseRuntimeList(json)!;
  t.same(readyNames(runtimes), ['iOS 17.0', 'visionOS 2.2', 'watchOS 11.5']);
  const states = (name: string) => matching(runtimes, parseRuntimeName(name)!).map(({ state }) => state);
  t.same(states('iOS 17.0'), ['Ready', 'Unusable'], 'by the version that Xcode shows');
  t.same(states('iOS 17.0.1'), ['Ready'], 'by the exact version');
  t.same(states('iOS 17.0 (21A328)'), ['Unusable'], 'by build');
  t.same(states('iOS 26.1'), ['Verifying']);
  t.same(states('visionOS 2.2'), ['Ready']);
  t.same(states('iOS 26'), []);
});

t.test('the list of runtimes of older Xcodes', async (t) => {
  const json = JSON.stringify({
    runtimes: [
      {
        name: 'iOS 16.4',
        version: '16.4',
        buildversion: '20E247',
        isAvailable: true,
        identifier: 'com.apple.CoreSimulator.SimRuntime.iOS-16-4',
      },
      { name: 'tvOS 15.0', isAvailable: false },
      { name: 'watchOS 8.5' },
      { name: 7 },
    ],
  });
  t.same(readyNames(parseAvailableRuntimes(json)!), ['iOS 16.4', 'watchOS 8.5']);
  t.equal(parseAvailableRuntimes('{}'), null);
});

t.test('invalid lists of a guest are treated as empty', async (t) => {
  for (const text of ['', 'null', '[]', '7', '{"A":', 'xcrun: error: unable to find utility "simctl"']) {
    t.equal(parseRuntimeList(text), null, text);
  }
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, n) => [n, image(`iOS-${n % 99}-1`, `${n % 99}.1`, 'A1B2', 'Ready')]),
  );
  t.ok(parseRuntimeList(JSON.stringify(many))!.length <= 200);
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.object()), (value) => {
      for (const { name, version } of parseRuntimeList(JSON.stringify(value)) ?? []) {
        t.match(name, /^(?:iOS|tvOS|watchOS|visionOS) [\d.]+$/);
        t.match(version, /^[\d.]+$/);
      }
    }),
    { numRuns: 50 },
  );
});

t.test('Xcodes are read from their property lists', async (t) => {
  const info = plist({ CFBundleIdentifier: 'com.apple.dt.Xcode', LSMinimumSystemVersion: '15.6' });
  const version = plist({ CFBundleShortVersionString: '26.1', ProductBuildVersion: '17B55' });
  const dir = '/Applications/Anything.app/Contents/Developer';
  const expected = { version: '26.1', build: '17B55', developerDir: dir, beta: false, minimumMacos: '15.6' };
  t.same(parseXcode(['/Applications/Anything.app', dir, info, version]), expected);
  t.same(parseXcode(['', dir, '', version]), { ...expected, minimumMacos: null });
  for (const [what, fields] of [
    ['another application', ['', dir, plist({ CFBundleIdentifier: 'com.example' }), version]],
    ['no version', ['', dir, info, '']],
    ['a version that is an option', ['', dir, info, plist({ CFBundleShortVersionString: '-p' })]],
    ['a folder that is not absolute', ['', 'Developer', info, version]],
    ['a folder with a line feed', ['', `${dir}\nx`, info, version]],
    ['nothing', []],
  ] as const) {
    t.equal(parseXcode(fields), null, what);
  }
  t.same(runsOn(parseXcode(['', dir, info, version])!, '15.10'), true);
  t.same(runsOn(parseXcode(['', dir, info, version])!, '15.5'), false);
});

t.test('within a version the release comes before betas, and newer builds before older ones', async (t) => {
  t.same(['17A5241e', '17A324', '17B55'].map(isBetaBuild), [true, false, false]);
  const xcode = (version: string, build: string) => ({
    version,
    build,
    developerDir: `/${build}`,
    beta: isBetaBuild(build),
    minimumMacos: null,
  });
  const builds = ['18A5100a', '18A324', '18A330', '18A5200b', '18A5110c'];
  const sorted = inOrder([...builds.map((build) => xcode('27.0', build)), xcode('9.4', '9F1'), xcode('26.10', '17Z1')]);
  t.same(
    sorted.map(({ build }) => build),
    ['9F1', '17Z1', '18A330', '18A324', '18A5200b', '18A5110c', '18A5100a'],
  );
  t.equal(xcodeOf(sorted, '27.0')?.build, '18A330');
  t.equal(xcodeOf(sorted, '27'), null, 'versions are compared to the letter');
});

t.test('progress of a download', async (t) => {
  for (const [line, percent] of [
    ['Downloading iOS 26.1 Simulator (23B86): 12.3% (907 MB of 7.34 GB)', 12.3],
    ['Downloading tvOS: 17%', 17],
    ['Downloading tvOS 18.1 Simulator (22J5567a): Installing...', null],
    ['Finding content...', null],
    ['500% of nothing', 100],
    ['1234% of nothing', null],
    [`${'9'.repeat(100_000)}%`, null],
  ] as const) {
    t.equal(downloadPercent(line), percent, line.slice(0, 80));
  }
});

t.test('reasons for failed downloads', async (t) => {
  for (const [text, reason] of [
    ['iOS 99.0 is not available for download', 'not_available'],
    ['Finding content...\nUnable to connect to simulator.', 'no_simulator_service'],
    ['The Internet connection appears to be offline.', 'no_network'],
    ['The request timed out.', 'no_network'],
    ['write: No space left on device', 'disk_full'],
    ['Not enough free space to install', 'disk_full'],
    ['something else', 'failed'],
    ['', 'failed'],
  ] as const) {
    t.equal(downloadFailure(text), reason, text);
  }
});

t.test('names of tools', async (t) => {
  t.same(toolNames('jq\nnode@24\n==> Casks\n\nfoo bar\n../x\nopenssl@3\n'), ['jq', 'node@24', 'openssl@3']);
  t.equal(toolNames('a\n'.repeat(10_000)).length, 1000);
  const names = [
    'jq',
    'node@24',
    'gcc-c++',
    'tuist/tuist/tuist',
    '--force',
    '-v',
    'a b',
    'a/b',
    '$(id)',
    '',
    '/etc/passwd',
  ];
  t.same(names.filter(isToolName), ['jq', 'node@24', 'gcc-c++', 'tuist/tuist/tuist']);
});

t.test('progress of Homebrew never falls and ends below 100', async (t) => {
  const progress = createBrewProgress();
  const percents = [
    '==> Fetching downloads for: wget',
    '==> Fetching dependencies for wget: libidn2, openssl@3 and ca-certificates',
    '==> Downloading https://ghcr.io/v2/homebrew/core/libidn2',
    '==> Downloading https://ghcr.io/v2/homebrew/core/openssl',
    '==> Installing dependencies for wget: libidn2, openssl@3 and ca-certificates',
    '==> Pouring libidn2--2.3.7.arm64_tahoe.bottle.tar.gz',
    '==> Pouring openssl.bottle.tar.gz',
    '==> Pouring ca.bottle.tar.gz',
    '==> Pouring wget.bottle.tar.gz',
  ].map((line) => progress.read(line));
  t.same(
    percents,
    [...percents].sort((a, b) => a - b),
  );
  t.ok(percents.at(-1)! >= 85 && percents.at(-1)! < 100, String(percents.at(-1)));
});

t.test('reasons for failed installations', async (t) => {
  const unknown = 'Warning: No available formula with the name "swiftlnt". Did you mean swiftlint or swiftly?';
  t.same(brewFailure(unknown), { kind: 'unknown_name', similar: ['swiftlint', 'swiftly'] });
  const hostile = 'No available formula or cask with the name "x". Did you mean $(id), --force, ok?';
  t.same(brewFailure(hostile), { kind: 'unknown_name', similar: ['ok'] });
  for (const [text, kind] of [
    ['Error: No formulae or casks found for nothing.', 'unknown_name'],
    ["Error: Cask 'nothing' is unavailable: No Cask with this name exists.", 'unknown_name'],
    ['curl: (6) Could not resolve host: ghcr.io', 'no_network'],
    ['Error: No space left on device @ rb_sysopen', 'disk_full'],
    ['Error: Xcode alone is not sufficient', 'failed'],
  ] as const) {
    t.equal(brewFailure(text).kind, kind, text);
  }
});
