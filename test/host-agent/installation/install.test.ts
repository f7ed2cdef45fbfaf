// `host-agent install` and `uninstall`, against stand-ins of macOS's tools and a real service.
// Runs in: soak
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { install } from '../../../host-agent/cli/install/command.js';
import { serviceActions } from '../../../host-agent/cli/service.js';
import { agentStatus } from '../../../host-agent/cli/status.js';
import { uninstall } from '../../../host-agent/cli/uninstall.js';
import { asUser } from '../../../host-agent/installation/as-user.js';
import { beginTrial, readTrial } from '../../../host-agent/installation/trial.js';
import { takeLock } from '../../../host-agent/system/lock.js';
import { startLinkService } from '../../harness/link-service.js';
import { unpackedPackage, writePackage } from '../../harness/macos/installation.js';

const started = startLinkService(t);

/** A Mac with the unpacked package, and a token. */
async function freshMac(t: Test) {
  const service = await started;
  const installation = unpackedPackage(t, service.siteUrl);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const tokenFile = join(installation.mac.root, 'token');
  writeFileSync(tokenFile, `${token}\n`);
  return Object.assign(installation, { service, token, tokenFile });
}

/** Every path below a folder with owner, mode and what it leads to. */
function tree(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const found = lstatSync(join(folder, name));
      const to = found.isSymbolicLink() ? ` -> ${readlinkSync(join(folder, name))}` : '';
      return `${found.uid} ${(found.mode & 0o777).toString(8)} ${name}${to}`;
    });
}

const changes = (calls: string[][]) => calls.filter(([word]) => word !== 'print');

t.test('one command makes a host, a second one finds nothing to do, uninstall leaves the data', async (t) => {
  const { mac, paths, install, printed, token, tokenFile, children, deps } = await freshMac(t);
  const before = tree(paths.prefix);
  t.equal(await install({ tokenFile, dryRun: true }), 0);
  t.same(tree(paths.prefix), before, '--dry-run changes nothing');
  const planned = printed();
  for (const what of ['account: create the role account _cidermill', 'enrollment: enroll with', 'launchd: load']) {
    t.match(planned, `would do  ${what}`);
  }
  t.same([mac.calls('sysadminctl'), changes(mac.calls('launchctl'))], [[], []]);

  const code = await install({ tokenFile });
  const said = printed();
  t.equal(code, 0, said);
  t.match(said, /^Installing the host agent as a daemon \(_cidermill\): starts at boot/);
  t.match(said, /done {6}account: created the role account _cidermill \(350\)/);
  t.match(said, /ok {8}connection: mini \(h_1\) is connected/);
  t.match(said, /done {6}doctor: disk: 1 GB free\. Free 9 GB\./);
  t.match(said, /1 warning \(sleep\); see: cidermill host-agent doctor$/m);
  t.same(
    tree(paths.prefix).filter(
      (line) => !/^\d+ \d+ usr\/local\/cidermill\/(versions|current)\/|\/agent-state|agent\.lock/.test(line),
    ),
    [
      '0 755 Library',
      '0 755 Library/LaunchDaemons',
      '0 644 Library/LaunchDaemons/cidermill.host-agent.plist',
      '0 755 Users',
      '501 755 Users/build',
      '0 755 usr',
      '0 755 usr/local',
      '0 755 usr/local/bin',
      '0 777 usr/local/bin/cidermill -> ../cidermill/current/bin/cidermill',
      '0 755 usr/local/cidermill',
      '0 777 usr/local/cidermill/current -> versions/9.9.9',
      '0 755 usr/local/cidermill/versions',
      '0 755 usr/local/var',
      '350 700 usr/local/var/cidermill',
      '350 600 usr/local/var/cidermill/agent.json',
      '350 600 usr/local/var/cidermill/credential.json',
      '350 700 usr/local/var/cidermill/home',
    ],
  );
  t.match(readFileSync(paths.daemonPlist, 'utf8'), `<string>${paths.current}/bin/cidermill</string>`);
  t.match(JSON.parse(readFileSync(join(paths.data, 'agent.json'), 'utf8')), {
    log_file: join(paths.data, 'agent.log'),
  });
  t.same(changes(mac.calls('launchctl')), [
    ['enable', 'system/cidermill.host-agent'],
    ['bootstrap', 'system', paths.daemonPlist],
  ]);
  t.notMatch(JSON.stringify([mac.calls(), children.map(({ args }) => args)]), token, 'the token is in no argument');
  t.match(
    children.map(({ account, args }) => [account.name, args[0]]),
    [
      ['_cidermill', 'enroll'],
      ['_cidermill', 'doctor'],
    ],
  );

  const calls = changes(mac.calls('launchctl')).length;
  t.equal(await install(), 0, 'again, without a token');
  t.match(
    printed(),
    /ok {8}account[\s\S]*ok {8}enrollment: \S+ \(h[\s\S]*ok {8}property list[\s\S]*ok {8}launchd[\s\S]*ok {8}connection/,
  );
  t.equal(changes(mac.calls('launchctl')).length, calls, 'and without a restart');

  t.equal(await uninstall({ dryRun: true }, deps), 0);
  t.ok(existsSync(paths.daemonPlist));
  printed();
  t.equal(await uninstall({}, deps), 0);
  t.match(printed(), /left out {2}data: [\s\S]*admin host remove [\s\S]*sysadminctl -deleteUser _cidermill/);
  t.same(changes(mac.calls('launchctl')).at(-1), ['bootout', 'system/cidermill.host-agent']);
  for (const gone of [paths.daemonPlist, paths.command, paths.root]) t.notOk(existsSync(gone), gone);
  t.ok(existsSync(join(paths.data, 'credential.json')));
  t.equal(await uninstall({ deleteData: true }, deps), 0);
  t.notOk(existsSync(paths.data));
});

t.test('an installation that was interrupted anywhere is continued', async (t) => {
  const mac = await freshMac(t);
  // One after the other: each run ends at the first thing that does not work yet.
  mac.mac.set('no-accounts');
  t.equal(await mac.install({ tokenFile: mac.tokenFile }), 78);
  t.match(mac.printed(), /FAILED +account: macOS did not create[\s\S]*to administer this computer/);
  mac.mac.unset('no-accounts');
  t.equal(
    await mac.install({ tokenFile: mac.tokenFile, url: 'http://127.0.0.1:1' }),
    69,
    'the service cannot be reached',
  );
  t.match(mac.printed(), /done +folders[\s\S]*FAILED +enrollment/);
  const used = join(mac.mac.root, 'used');
  writeFileSync(used, 'cme_used');
  t.equal(await mac.install({ tokenFile: used }), 77, 'a token that was used');
  t.match(mac.printed(), /ok +folders/);
  mac.mac.fail('launchctl', {
    argument: 'bootstrap',
    code: 5,
    stderr: 'Bootstrap failed: 5: Input/output error',
    times: 1,
  });
  t.equal(await mac.install({ tokenFile: mac.tokenFile }), 78);
  t.match(mac.printed(), /FAILED +launchd: launchctl bootstrap \(system\) failed with 5: [\s\S]*plutil -lint/);
  mac.agent = null;
  t.equal(await mac.install(), 75, 'a program that crashes');
  t.match(mac.printed(), /FAILED +connection: the agent does not run[\s\S]*Not finished/);
  mac.agent = { link: 'refused', version: '0.1.0', builds: 0 };
  await mac.deps.tools?.('/bin/launchctl', ['kickstart', '-k', 'system/cidermill.host-agent']);
  t.equal(await mac.install(), 75);
  t.match(mac.printed(), /no longer knows this host[\s\S]*--enroll-again/);
  mac.agent = { link: 'up', version: '0.1.0', builds: 0 };
  const { token } = await mac.service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  writeFileSync(mac.tokenFile, token);
  await mac.deps.tools?.('/bin/launchctl', ['kickstart', '-k', 'system/cidermill.host-agent']);
  t.equal(await mac.install({ tokenFile: mac.tokenFile, enrollAgain: true }), 0);
});

t.test('an earlier installation is recognized', async (t) => {
  const mac = await freshMac(t);
  const { paths, printed } = mac;
  // The property list of an older version, with another label, whose job is loaded.
  mkdirSync(dirname(paths.daemonPlist), { recursive: true });
  const older =
    '<plist><dict><key>Label</key><string>com.old.agent</string><key>ProgramArguments</key><array><string>/x</string></array></dict></plist>';
  writeFileSync(paths.daemonPlist, older, { mode: 0o644 });
  await mac.mac.run('/bin/launchctl', ['bootstrap', 'system', paths.daemonPlist]);
  mac.mac.set('lingers', '3');
  t.equal(await mac.install({ tokenFile: mac.tokenFile }), 0);
  t.match(changes(mac.mac.calls('launchctl')).slice(1), [
    ['bootout', 'system/com.old.agent'],
    ['bootout', 'system/cidermill.host-agent'],
    ['enable'],
    ['bootstrap'],
  ]);
  mac.mac.unset('lingers');

  // A newer version: the link points to it, an upgrade on trial is given up, and the agent is restarted.
  printed();
  writePackage(paths, '10.0.0');
  beginTrial(paths, { to: '9.9.9', from: '9.9.8', attempt: null, needs: 'welcome', seconds: 60, most: 3 });
  const deps = { ...mac.deps, script: join(paths.versions, '10.0.0/lib/cidermill.mjs') };
  Object.assign(mac.deps, deps);
  mac.agent = { link: 'up', version: '0.0.9', builds: 0 };
  await mac.deps.tools?.('/bin/launchctl', ['kickstart', '-k', 'system/cidermill.host-agent']);
  t.equal(await mac.install(), 0);
  t.match(printed(), /done +program: make version 10\.0\.0[\s\S]*done +launchd: restart the agent/);
  t.equal(readlinkSync(paths.current), 'versions/10.0.0');
  t.equal(readTrial(paths), null);

  t.equal(await mac.install({ url: 'https://other.example' }), 78);
  t.match(
    printed(),
    /is the host \S+ of http:\S+, not of https:\/\/other\.example\. If the service has moved[\s\S]*move-to/,
  );
  mac.agent = { link: 'up', version: '0.1.0', builds: 2 };
  await mac.deps.tools?.('/bin/launchctl', ['kickstart', '-k', 'system/cidermill.host-agent']);
  await t.rejects(uninstall({}, mac.deps), /builds that run on this host: 2[\s\S]*--force/);
});

t.test('in the session of the user at the screen', async (t) => {
  const mac = await freshMac(t);
  const { paths, printed, mac: tools } = mac;
  const flags = { tokenFile: mac.tokenFile, driver: 'tart' as const };
  await t.rejects(mac.install(flags), /nobody is logged in at the screen/);
  // Named: installed, and started by the next login.
  t.equal(await mac.install({ ...flags, user: 'build' }), 75);
  t.match(printed(), /FAILED +launchd: .*125[\s\S]*Nobody is logged in at the screen/);
  const plist = paths.agentPlist('/Users/build');
  t.equal(statSync(plist).uid, 501);
  t.match(readFileSync(plist, 'utf8'), /LimitLoadToSessionType/);
  t.match(readFileSync(plist, 'utf8'), `<string>${paths.agent.current}/bin/cidermill</string>`);
  const owners = (folder: string) => new Set(tree(folder).map((line) => line.split(' ')[0]));
  t.same([...owners(paths.agent.root)], ['501'], 'the agent can replace its program');
  t.same([...owners(paths.versions)], ['0'], 'and nobody but root the one that root runs');
  t.same([lstatSync(paths.root).uid, lstatSync(paths.current).uid], [0, 0]);
  tools.set('session-501');
  tools.set('at-screen', 'build');
  t.equal(await mac.install(), 0, 'no option is needed again');
  t.match(printed(), /in the session of build: guests of macOS 15[\s\S]*ok +account: build \(501\)/);
  t.same(
    tools
      .calls('launchctl')
      .filter(([word]) => word === 'bootstrap')
      .at(-1),
    ['bootstrap', 'gui/501', plist],
  );
  t.match(mac.children.at(-1), { args: ['doctor'], inSession: true, account: { name: 'build' } });

  // To the other session: the job of the first one goes.
  t.equal(await mac.install({ session: 'daemon' }), 0);
  t.match(
    printed(),
    /guests of macOS 15 and newer need an unlocked login keychain, which a daemon does not have[\s\S]*done +other session: remove the job of the session "login"/,
  );
  t.notOk(existsSync(plist));
  t.match(readFileSync(paths.daemonPlist, 'utf8'), /<key>UserName<\/key>\s*<string>build</);
});

t.test('a data folder on another disk is found again by every command', async (t) => {
  const mac = await freshMac(t);
  const { paths, printed, deps } = mac;
  mac.mac.set('session-501');
  mac.mac.set('at-screen', 'build');
  const data = join(paths.prefix, 'Volumes/big disk/agent');
  // The stand-in of the agent writes where the data is.
  Object.assign(mac.paths, { data });
  t.equal(await mac.install({ tokenFile: mac.tokenFile, data, session: 'login' }), 0, 'first');
  printed();
  t.equal(await mac.install(), 0);
  t.match(printed(), /ok +folders: .*big disk\/agent belongs to build[\s\S]*ok +property list/);
  t.match(await agentStatus({}, deps), {
    running: true,
    agent: { name: 'mini' },
    job: { domain: 'gui/501' },
  });
  await serviceActions.restart({}, deps);
  t.match(printed(), /^running[\s\S]*connected since[\s\S]*launchd: +gui\/501, starts: 2/);
  await serviceActions.stop({}, deps);
  await serviceActions.start({}, deps);
  t.match(printed(), /^Stopped until[\s\S]*running/);
  t.equal(await uninstall({ deleteData: true }, deps), 0);
  t.notOk(existsSync(data));
  await t.rejects(serviceActions.start({}, deps), /is not installed on this machine/);
});

t.test('below a prefix, on any system', async (t) => {
  const mac = await freshMac(t);
  const { paths, printed, deps } = mac;
  const elsewhere = { ...deps, tools: null };
  const flags = { url: mac.service.siteUrl, tokenFile: mac.tokenFile, allowUnisolated: true as const };
  t.equal(await install({ ...flags, json: true }, elsewhere), 0);
  const report = JSON.parse(printed());
  t.match(report, { ok: true, session: 'daemon', data: paths.data });
  t.same(
    report.steps.map(({ step, result }: { step: string; result: string }) => `${step}: ${result}`),
    [
      'account: left_out',
      'folders: done',
      "agent's program: ok",
      'program: done',
      'command: done',
      'enrollment: done',
      'configuration: done',
      'other session: ok',
      'property list: done',
      'launchd: left_out',
      'connection: left_out',
      'doctor: left_out',
    ],
  );
  t.ok(existsSync(paths.daemonPlist));
  t.same(mac.mac.calls(), []);
  t.equal(await uninstall({ deleteData: true }, elsewhere), 0);
  for (const gone of [paths.daemonPlist, paths.root, paths.data]) t.notOk(existsSync(gone), gone);

  // Commands that need launchd say so.
  t.match(await install({ print: true }, { ...elsewhere, script: '/opt/cidermill/dist/client/bin.cjs' }), 0);
  t.match(printed(), '<string>/opt/cidermill/dist/client/bin.cjs</string>');
});

t.test('what cannot work is refused before anything is changed', async (t) => {
  const mac = await freshMac(t);
  const { paths, install } = mac;
  const before = tree(paths.prefix);
  const cases: [Parameters<typeof install>[0], RegExp][] = [
    [{ url: undefined }, /the address of the service is missing/],
    [{ user: 'buidl' }, /there is no user buidl\. Only role accounts are created/],
    [{ user: 'root' }, /does not run as root/],
    [{ user: '-read' }, /not the name of a user/],
    [{ user: '_other', session: 'login' }, /there is no user _other\. Create it/],
    [{ allowUnisolated: undefined }, /without isolation between tenants.*--allow-unisolated/],
    [{ prefix: '/elsewhere' }, /is installed below .*not below \/elsewhere/],
  ];
  for (const [flags, message] of cases) await t.rejects(install(flags), message);
  t.same(tree(paths.prefix), before);
});

t.test('a data folder of somebody else, and two installations at once', async (t) => {
  const mac = await freshMac(t);
  const { paths, printed, install, tokenFile } = mac;
  mkdirSync(dirname(paths.data), { recursive: true });
  symlinkSync('/etc', paths.data);
  t.equal(await install({ tokenFile, user: 'build' }), 78);
  t.match(printed(), /FAILED +folders: the data folder \S+ is a link/);
  rmSync(paths.data);
  mkdirSync(paths.data);
  chownSync(paths.data, 501, 20);
  t.equal(await install({ tokenFile, user: '_cidermill' }), 78);
  t.match(printed(), /belongs to the user 501, and the agent runs as _cidermill/);

  const lock = takeLock(paths.root, 'installation');
  await t.rejects(install({ tokenFile }), /another installation \(process \d+\)/);
  lock.release();

  // A link that a build has left where root would write.
  const victim = join(mac.mac.root, 'victim');
  writeFileSync(victim, 'untouched', { mode: 0o644 });
  asUser({ uid: 501, gid: 20 }, () => symlinkSync(victim, join(paths.data, 'agent.json.new')));
  t.equal(await install({ tokenFile, user: 'build' }), 73);
  t.match(printed(), /FAILED +enrollment: ELOOP/);
  t.equal(readFileSync(victim, 'utf8'), 'untouched');
});
