// A reset that keeps caches, in a guest of the stand-in: what a tenant left, and what must be as in the image afterwards.
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import t from 'tap';
import { captureBaseline, keepCachesOnly } from '../../../host-agent/guest/software/baseline.js';
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

t.test('only caches stay of what a tenant left in the home folder', async (t) => {
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
  for (const name of ['locked', 'root']) t.notOk(existsSync(`${home}/${name}`), `gone: ${name}`);
  t.equal(readFileSync(`${home}/.zprofile`, 'utf8'), profile);
  t.equal(readFileSync(`${home}/.config/a`, 'utf8'), 'a\n');
  t.equal(await guest.sh('cat bin/tool; readlink link; stat -f %Lp bin/tool'), 'tool\nbin/tool\n750\n');
  t.ok(lstatSync(`${home}/Library/Preferences`).isDirectory(), 'a link in place of a folder is replaced');
  t.equal(
    await guest.sh('ls -A /Users/Shared/cidermill/work; ls -A /Users/Shared/cidermill'),
    'keep\nwork\n',
  );
  t.equal(
    await guest.sh('ls -A /Users/Shared; ls /tmp; ls "$(getconf DARWIN_USER_TEMP_DIR)"'),
    'cidermill\ntart-guest-agent.log\n',
  );
  t.equal(await guest.sh('crontab -l 2>/dev/null || true; pbpaste'), '');
  t.ok(result.deleted >= GONE.length, `${result.deleted} deleted`);
  t.equal(result.differ, 0);

  const again = await keepCachesOnly(guest.transport, baseline, { keep: ['/Users/Shared/cidermill'] });
  t.match(again, { restored: 0, differ: 0 }, 'a second reset finds nothing to restore');
  for (const name of KEPT) t.ok(existsSync(`${home}/${name}`), `still kept: ${name}`);
});
