// A reset that keeps caches, in a guest of the stand-in: what a tenant left, and what must be as in the image afterwards.
// Runs in: soak
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { captureBaseline, keepCachesOnly } from '../../../host-agent/guest/software/baseline.js';
import { defaultSoftwareLimits } from '../../../host-agent/limits.js';
import { openGuest } from './guest.js';
import { openTartGuest } from './tart-guest.js';

const KEPT = [
  'Library/Developer/Xcode/DerivedData/App-x/Build/a.o',
  'Library/Caches/org.swift.swiftpm/repositories/a',
  'Library/org.swift.swiftpm/configuration/a',
  'Library/Caches/CocoaPods/a',
  'Library/Caches/Homebrew/a',
  'Library/Caches/pip/a',
  '.cocoapods/repos/a',
  '.gradle/caches/a',
  '.npm/_cacache/a',
];
const GONE = [
  '.netrc',
  '.npmrc',
  '.gitconfig',
  '.git-credentials',
  '.aws/credentials',
  '.config/gh/hosts.yml',
  '.ssh/id_ed25519',
  '.ssh/known_hosts',
  '.gradle/gradle.properties',
  '.gradle/init.d/a.gradle',
  '.zsh_history',
  '.Trash/a',
  'Desktop/a',
  'Library/Caches/other/a',
  'Library/Developer/Xcode/UserData/a',
  'Library/Developer/Xcode/Archives/a',
  'Library/MobileDevice/Provisioning Profiles/a.mobileprovision',
  'Library/LaunchAgents/com.example.job.plist',
  'Library/Keychains/other.keychain-db',
  "a name with \\n and 'quotes'",
];

t.test('of a tenant’s files in the home folder only caches stay', async (t) => {
  const guest = await openTartGuest(t);
  await guest.sh(
    'mkdir -p .config bin; echo tool >bin/tool; chmod 750 bin/tool; ln -s bin/tool link; echo a >.config/a',
  );
  const baseline = await captureBaseline(guest.transport);
  const home = guest.file('Users/admin');
  const profile = readFileSync(`${home}/.zprofile`, 'utf8');
  const files = [...KEPT, ...GONE].map((name) => `"${name.replaceAll('"', '\\"')}"`).join(' ');
  await guest.sh(`
    for name in ${files}; do mkdir -p "$(dirname "$name")"; echo secret >"$name"; done
    echo 'export TOKEN=1' >>.zprofile
    rm bin/tool link; ln -s /etc/passwd link; chmod 700 bin
    rm -r .config; echo file >.config
    rm -rf Library/Preferences; ln -s / Library/Preferences
    mkdir -p locked/a; echo a >locked/a/b; chmod 0 locked/a
    sudo mkdir -p root/a; sudo touch root/a/b
    mkdir mounted; sudo /sbin/mount -t tmpfs none mounted; sudo mkdir /Volumes/Tool; sudo /sbin/mount -t tmpfs none /Volumes/Tool
    mkdir -p /Users/Shared/cidermill/work/app /Users/Shared/cidermill/keep
    echo a >/Users/Shared/cidermill/work/app/a; echo a >/Users/Shared/cidermill/keep/a; echo a >/Users/Shared/note
    echo a >/tmp/left; mkdir -p "$(getconf DARWIN_USER_TEMP_DIR)/x"; echo '* * * * * true' | crontab -
    printf secret | pbcopy
  `);
  const result = await keepCachesOnly(guest.transport, baseline, {
    work: ['/Users/Shared/cidermill/work'],
    keep: ['/Users/Shared/cidermill/keep'],
  });
  for (const name of KEPT) t.ok(existsSync(`${home}/${name}`), `kept: ${name}`);
  for (const name of GONE) t.notOk(existsSync(`${home}/${name}`), `gone: ${name}`);
  for (const name of ['locked', 'root', 'mounted']) t.notOk(existsSync(`${home}/${name}`), `gone: ${name}`);
  t.equal(readFileSync(`${home}/.zprofile`, 'utf8'), profile);
  t.equal(readFileSync(`${home}/.config/a`, 'utf8'), 'a\n');
  t.equal(await guest.sh('cat bin/tool; readlink link; stat -f %Lp bin/tool'), 'tool\nbin/tool\n750\n');
  t.ok(lstatSync(`${home}/Library/Preferences`).isDirectory(), 'a link in place of a folder is replaced');
  t.equal(await guest.sh('ls -A /Users/Shared/cidermill/work; ls -A /Users/Shared/cidermill'), 'keep\nwork\n');
  t.equal(
    await guest.sh('ls -A /Users/Shared; ls /tmp; ls "$(getconf DARWIN_USER_TEMP_DIR)"'),
    'cidermill\ntart-guest-agent.log\n',
  );
  t.equal(await guest.sh('ls /Volumes'), '');
  t.equal(await guest.sh('crontab -l 2>/dev/null || true; pbpaste'), '');
  t.ok(result.deleted >= GONE.length, `${result.deleted} deleted`);
  t.equal(result.differ, 0);

  const again = await keepCachesOnly(guest.transport, baseline, { keep: ['/Users/Shared/cidermill'] });
  t.match(again, { restored: 0, differ: 0 }, 'a second reset finds nothing to restore');
  for (const name of KEPT) t.ok(existsSync(`${home}/${name}`), `still kept: ${name}`);
});

t.test('processes, launchd jobs, simulators and keychain items of a tenant are gone', async (t) => {
  const guest = await openTartGuest(t);
  const { transport, sh } = guest;
  await sh('xcrun simctl create Ours iPhone');
  const baseline = await captureBaseline(transport);
  const login = '~/Library/Keychains/login.keychain-db';
  await sh(`
    perl -MPOSIX -e 'fork and exit; setsid; fork and exit; $SIG{$_} = "IGNORE" for qw(TERM HUP INT); %ENV = (); chdir "/"; open STDOUT, ">/dev/null"; open STDERR, ">/dev/null"; exec "sleep", 4001'
    nohup sh -c 'while :; do sleep 4002; done' >/dev/null 2>&1 &
    launchctl submit -l com.example.miner -- /bin/sleep 4003
    xcrun simctl create Theirs iPhone; xcrun simctl boot Theirs; xcrun simctl boot Ours
    echo photo >"$(echo Library/Developer/CoreSimulator/Devices/*/data | cut -d' ' -f1)/photo"
    security add-generic-password -s registry -a me -w hunter2 ${login}
    security create-keychain -p x build.keychain-db
    security list-keychains -d user -s build.keychain-db ${login}
    security lock-keychain ${login}
  `);
  const processes = () => sh('ps -ax -o command= | grep -E "sleep|launchd_sim" | grep -v grep || true');
  t.match(await processes(), /4001(.|\n)*4002|4002(.|\n)*4001/);
  await keepCachesOnly(transport, baseline);
  t.equal(await processes(), '');
  t.notMatch(await sh('launchctl list'), /example/);
  const devices = await sh('xcrun simctl list devices -j');
  t.match(devices, /"Ours"/, 'a simulator of the image stays');
  t.notMatch(devices, /Theirs|Booted/);
  t.equal(await sh('find Library/Developer/CoreSimulator -name photo'), '');
  t.equal(await sh(`security find-generic-password -s registry -w ${login} 2>/dev/null || echo none`), 'none\n');
  t.equal(await sh('ls Library/Keychains'), 'login.keychain-db\n');
  await sh(`security add-generic-password -s new -a me -w x ${login}`);
  t.match(readFileSync(guest.file('Users/admin/Library/Keychains/login.keychain-db'), 'utf8'), /^password=admin$/m);
});

t.test('simulators are emptied even when the tenant has selected something that is no Xcode', async (t) => {
  const { transport, sh } = await openTartGuest(t);
  await sh('xcrun simctl create Ours iPhone');
  const baseline = await captureBaseline(transport);
  await sh(
    'echo photo >"$(echo Library/Developer/CoreSimulator/Devices/*/data)/photo"; mkdir Fake; sudo xcode-select -s "$HOME/Fake"',
  );
  await keepCachesOnly(transport, baseline);
  t.equal(
    await sh('find Library/Developer/CoreSimulator -name photo; echo Library/Developer/CoreSimulator/Devices/*/data/*'),
    'Library/Developer/CoreSimulator/Devices/*/data/*\n',
  );
});

t.test('a changed large file stays and is counted, because its contents are not recorded', async (t) => {
  const { transport, sh } = await openTartGuest(t);
  await sh(
    'mkdir -p tool deep/er; head -c 300000 /dev/zero >tool/large; cp tool/large tool/same; echo small >small; head -c 5000 /dev/zero >deep/er/file',
  );
  const few = { limits: { ...defaultSoftwareLimits, homeContentBytes: 2000 } };
  const baseline = await captureBaseline(transport, few);
  await sh(
    'echo more >>tool/large; echo changed >small; echo changed >deep/er/file; rm tool/same; touch -t 203001010000 .zprofile',
  );
  t.same((await keepCachesOnly(transport, baseline)).differ, 3);
  t.equal(await sh('cat small; tail -c 5 tool/large; cat deep/er/file'), 'small\nmore\nchanged\n');
  await t.rejects(captureBaseline(transport, { limits: { ...defaultSoftwareLimits, homeFiles: 3 } }), {
    name: 'GuestError',
    code: 'too_many_files',
  });
});

t.test('a reset that was interrupted is completed by the next', async (t) => {
  const guest = await openTartGuest(t);
  const { transport, sh, host } = guest;
  await sh('mkdir image; for n in $(seq 300); do echo $n >image/$n; done');
  const baseline = await captureBaseline(transport);
  await sh('rm -r image; mkdir left; for n in $(seq 300); do echo $n >left/$n; done');
  host.fault('exec-drops-after-bytes', '30', 1);
  await t.rejects(keepCachesOnly(transport, baseline), { name: 'GuestUnreachableError' });
  await keepCachesOnly(transport, baseline);
  t.equal(await sh('ls image | wc -l | tr -d " "; cat image/299; ls -d left 2>/dev/null || true'), '300\n299\n');
});

t.test('a reset fails while caches fill the disk', async (t) => {
  const { transport, sh } = await openTartGuest(t, {}, { 'guest-disk-mb': '3' });
  const baseline = await captureBaseline(transport);
  const fill = 'dd if=/dev/zero of=Library/Caches/Homebrew/big bs=1k 2>/dev/null || true';
  await sh(`rm .zprofile; mkdir -p Library/Caches/Homebrew; ${fill}`);
  await t.rejects(keepCachesOnly(transport, baseline), {
    code: 'ENOSPC',
    message: /caches fill the Mac's disk/,
  });
  await sh('rm Library/Caches/Homebrew/big');
  t.match(await keepCachesOnly(transport, baseline), { restored: 1 });
  t.match(await sh('ls -A; cat .zprofile'), /^\.ssh\n\.zprofile\nDesktop\nLibrary\nexport PATH/);
});

t.test('a file that cannot be deleted fails the reset', async (t) => {
  const guest = await openTartGuest(t);
  const baseline = await captureBaseline(guest.transport);
  await guest.sh('sudo mkdir -p owned/a; sudo touch owned/a/b');
  writeFileSync(guest.file('private/var/db/stand-in/sudo-asks'), '');
  await t.rejects(keepCachesOnly(guest.transport, baseline), {
    name: 'GuestError',
    code: 'left',
    message: /owned/,
  });
});

t.test('the programs refuse other systems and other home folders', async (t) => {
  const here = openGuest(t);
  for (const name of ['.netrc', 'kept']) writeFileSync(`${here.home}/${name}`, '');
  await t.rejects(captureBaseline(here.transport), { name: 'GuestError', code: 'not_macos' });
  const empty = gzipSync('');
  await t.rejects(keepCachesOnly(here.transport, empty), { name: 'GuestError', code: 'not_macos' });
  t.same(readdirSync(here.home).sort(), ['.netrc', 'kept']);
  const guest = await openTartGuest(t);
  await guest.sh('echo a >mine');
  const baseline = gunzipSync(await captureBaseline(guest.transport));
  const other = gzipSync(Buffer.from(baseline.toString('latin1').replace('/Users/admin', '/Users/other'), 'latin1'));
  await t.rejects(keepCachesOnly(guest.transport, other), { name: 'GuestError', code: 'other_image' });
  await t.rejects(keepCachesOnly(guest.transport, empty), { name: 'GuestError', code: 'other_image' });
  t.equal(await guest.sh('cat mine'), 'a\n');
});
