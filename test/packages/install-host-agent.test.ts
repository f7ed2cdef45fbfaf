// GET /install/host-agent: the script that makes a machine a host.
// Runs in: soak
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openKey, signSums } from '../../tools/package/signing.js';
import { everyNth, stride } from '../harness/soak.js';
import { tempFolder } from '../host-agent/runner/rig.js';
import { openInstallers, SITE, treeOf, VERSION } from './installer-rig.js';

const PLACE = `usr/local/cidermill/versions/${VERSION}`;
const NAME = `cidermill-host-agent-${VERSION}-${process.platform}-${process.arch}.tar.gz`;

t.test('without packages the installer says why', async (t) => {
  const rig = await openInstallers(t, []);
  const script = await rig.script('host-agent');
  t.match(rig.run(script, ['--token', 'x']), {
    status: 1,
    stderr: /^This service has no packages yet.* `npm run package`/,
  });
});

t.test('a service that does not know its address says so', async (t) => {
  const rig = await openInstallers(t, undefined, 'http://127.0.0.1:8460');
  const script = await rig.script('host-agent');
  t.match(rig.run(script, ['--token', 'x']), {
    status: 1,
    stderr: /^This service does not know its public address/,
  });
});

t.test('a script that does not arrive whole runs nothing', async (t) => {
  const rig = await openInstallers(t);
  const script = Buffer.from(await rig.script('host-agent'));
  // Without its last newline the group is closed, and the script is whole.
  const all = Array.from({ length: script.length - 1 }, (_, i) => i);
  const cuts = [...all.filter((i) => i % stride(700) === 0), ...all.slice(-25)];
  for (const cut of cuts) {
    // -x prints every command that runs.
    const { stdout, stderr } = rig.run(script.subarray(0, cut).toString('latin1'), [], {
      shell: ['dash', '-x'],
    });
    if (stdout !== '' || /^\++ /m.test(stderr)) t.fail(`something ran: cut at byte ${cut}: ${stderr}`);
  }
  for (const shell of ['dash', 'bash --posix']) {
    const ran = rig.run(script.subarray(0, -1).toString('latin1'), ['--version'], {
      shell: shell.split(' '),
    });
    t.match(ran, { status: 0, stdout: `${VERSION}\n` }, 'without the last newline it is whole');
  }
  t.equal(rig.called(), null);
});

t.test('download, checksum, unpack, and the rest by the program', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  const options = [`--prefix=${rig.prefix}`, '--token', 'a token', '--driver', 'local', '--allow-unisolated'];
  const first = rig.run(script, [...options, '--user', 'some one', '--session=daemon', '--name', 'rack 1']);
  t.match(first, { status: 0, stdout: /^downloading .*\nunpacked 1\.2\.3 to / });
  t.match(rig.called(), {
    args: [
      'host-agent',
      'install',
      '--url',
      SITE,
      '--prefix',
      rig.prefix,
      '--name',
      'rack 1',
      '--driver',
      'local',
      '--user',
      'some one',
      '--session',
      'daemon',
      '--allow-unisolated',
    ],
    input: 'a token\n',
  });
  const tree = treeOf(rig.prefix);
  t.match(tree[`${PLACE}/bin/cidermill`], /^755 /);
  t.match(tree[`${PLACE}/lib/x`], /^644 /);
  t.same(readdirSync(join(rig.prefix, 'usr/local')), ['cidermill'], 'no download is left');

  writeFileSync(join(rig.prefix, PLACE, 'bin/cidermill'), '#!/bin/sh\nexit 3 # by somebody else\n');
  const again = rig.run(script, [...options, '--token-file', '/dev/null']);
  t.match(again, { status: 64, stderr: /give one of --token, --token-file and --approve/ });
  // What the program's messages advise is an option of the script too.
  const others = [
    '--no-self-upgrade',
    '--enroll-again',
    '--https-proxy',
    'http://proxy.test:3128',
    '--bypass-proxy',
    'macs.test,10.0.0.0/8',
    '--approve',
  ];
  const located = ['--prefix', rig.prefix, '--data', '/data of mine'];
  t.match(rig.run(script, [...located, ...others], { env: { EXIT: '75' } }), { status: 75 });
  t.match(rig.called(), { args: ['host-agent', 'install', '--url', SITE, ...located, ...others] });
  t.equal(rig.proxies(), 'http://proxy.test:3128 macs.test,10.0.0.0/8');
  t.same(treeOf(rig.prefix), tree, 'again, it is the same');

  const uninstall = ['--uninstall', ...located, '--delete-data', '--force', '--driver', 'local'];
  mkdirSync(join(rig.folder, 'tmp'));
  t.match(rig.run(script, uninstall), { status: 0 });
  t.same(rig.called(), {
    args: ['host-agent', 'uninstall', ...located, '--delete-data', '--force'],
    input: '',
  });
  t.same(readdirSync(join(rig.folder, 'tmp')), [], 'it ran from a folder that is gone');
});

t.test('a dry run changes nothing', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  mkdirSync(join(rig.folder, 'tmp'));
  mkdirSync(rig.prefix);
  const before = treeOf(rig.prefix);
  const ran = rig.run(script, ['--prefix', rig.prefix, '--dry-run', '--token', 'x'], { uid: 0 });
  t.match(ran, { status: 0, stdout: /^would unpack .* to / });
  t.match(rig.called()?.args, ['host-agent', 'install', '--url', SITE, '--prefix', rig.prefix, '--dry-run']);
  t.same(treeOf(rig.prefix), before);
  t.same(readdirSync(join(rig.folder, 'tmp')), []);
  t.match(rig.run(script, ['--dry-run'], { env: { EXIT: '1' } }), { status: 1 });
  t.same(readdirSync(join(rig.folder, 'tmp')), []);
});

t.test('a download that breaks is continued; a wrong one is removed', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  const args = ['--prefix', rig.prefix];
  const breaks = join(rig.packages, 'break');
  writeFileSync(breaks, '');
  t.match(rig.run(script, args), { status: 1, stderr: /run this again, it continues where it ended/ });
  rmSync(breaks);
  t.match(rig.run(script, args), { status: 0 });
  const half = Math.floor(readFileSync(join(rig.packages, NAME)).length / 2);
  t.same(rig.asked(), [`${NAME} from 0`, `${NAME} from ${half}`]);

  const tree = treeOf(rig.prefix);
  const content = readFileSync(join(rig.packages, NAME));
  for (const [wrong, why] of [
    [Buffer.from(content.map((byte, i) => (i === 40 ? byte ^ 1 : byte))), 'changed'],
    [Buffer.concat([content, Buffer.from('x')]), 'longer'],
    [Buffer.from(''), 'empty'],
  ] as const) {
    writeFileSync(join(rig.packages, NAME), wrong);
    t.match(rig.run(script, args), { status: 1, stderr: /checksum/ }, why);
    t.notOk(treeOf(rig.prefix)[`usr/local/.cidermill-install/${NAME}`], 'the download is removed');
  }
  writeFileSync(join(rig.packages, NAME), content);
  t.match(rig.run(script, args), { status: 0 });
  t.same(treeOf(rig.prefix), tree);
});

t.test('killed at any step, it continues when it is run again', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  const count = join(rig.folder, 'count');
  const tools = ['uname', 'id', 'mkdir', 'find', 'chmod', 'sha256sum', 'rm', 'tar', 'mv'];
  const real = new Map(tools.map((tool) => [tool, `/usr/bin/${tool}`]));
  rig.standIn('curl.real', readFileSync(join(rig.bin, 'curl'), 'utf8'));
  for (const [tool, program] of real.set('curl', `${rig.bin}/curl.real`)) {
    // Before or after its work at a given step, everything of the group is killed.
    const text = `#!/bin/bash
printf x >>'${count}'; step=$(stat -c %s '${count}')
[ "$step" != "$KILL_BEFORE" ] || kill -9 0
'${program}' "$@"; code=$?
[ "$step" != "$KILL_AFTER" ] || kill -9 0
exit $code
`;
    rig.standIn(tool, text);
  }
  const run = (env: Record<string, string>) => {
    writeFileSync(count, '');
    return rig.run(script, ['--prefix', rig.prefix, '--token', 'x'], {
      env,
      shell: ['setsid', '--wait', 'dash'],
    });
  };
  t.match(run({}), { status: 0 });
  const whole = treeOf(rig.prefix);
  const steps = readFileSync(count, 'utf8').length;
  t.ok(steps > 10, `${steps} steps`);
  const kills = Array.from({ length: steps }, (_, i) => [
    ['KILL_BEFORE', i + 1],
    ['KILL_AFTER', i + 1],
  ]);
  for (const [when, step] of everyNth(9, kills.flat())) {
    const kill = { [`${when}`]: `${step}` };
    rmSync(rig.prefix, { recursive: true, force: true });
    t.not(run(kill).status, 0, JSON.stringify(kill));
    t.match(run({}), { status: 0 });
    t.same(treeOf(rig.prefix), whole, `as if nothing had happened: ${JSON.stringify(kill)}`);
  }
});

t.test('what it refuses', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  const prefix = ['--prefix', rig.prefix];
  const misuse: [string[], RegExp][] = [
    [['--tokn', 'x'], /unknown option --tokn/],
    [['help'], /unknown option help/],
    [['--token'], /--token needs a value/],
    [['--token', ''], /--token needs a value/],
    [['--driver', 'docker'], /--driver is tart, lume or local, not docker/],
    [['--session=always'], /--session is daemon or login, not always/],
    [['--token=x', '--approve'], /give one of/],
    [['--delete-data'], /belongs to --uninstall/],
    [['--force'], /belongs to --uninstall/],
  ];
  for (const [args, message] of misuse) {
    t.match(rig.run(script, [...prefix, ...args]), { status: 64, stderr: message }, args.join(' '));
  }
  const refusals: [string[], Parameters<typeof rig.run>[2], RegExp][] = [
    [['--token-file', '/none'], {}, /cannot read the file \/none/],
    [['--ca-file', '/none'], {}, /cannot read the file \/none/],
  ];
  for (const [args, options, message] of refusals) {
    t.match(rig.run(script, [...prefix, ...args], options), { status: 1, stderr: message });
  }
  chmodSync(rig.folder, 0o755);
  const asNobody = rig.run(script, ['--token', 'x'], { uid: 65_534 });
  t.match(asNobody, { status: 1, stderr: /must run as root: curl .* \| sudo sh -s -- / });

  const few = join(rig.folder, 'few');
  mkdirSync(few);
  for (const tool of ['uname', 'id', 'dash', 'cat']) symlinkSync(`/usr/bin/${tool}`, join(few, tool));
  t.match(rig.run(script, prefix, { path: few }), { status: 1, stderr: /curl or wget is needed/ });
  symlinkSync('/usr/bin/true', join(few, 'wget'));
  t.match(rig.run(script, prefix, { path: few }), {
    status: 1,
    stderr: /sha256sum, shasum or openssl is needed/,
  });

  const elsewhere = join(rig.prefix, 'usr/local/.cidermill-install');
  mkdirSync(join(rig.prefix, 'usr/local'), { recursive: true });
  symlinkSync(rig.folder, elsewhere);
  t.match(rig.run(script, prefix), { status: 1, stderr: /is not a folder of this user; remove it/ });
  rmSync(elsewhere);
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'process'), `${process.pid}\n`);
  t.match(rig.run(script, prefix), {
    status: 1,
    stderr: `another installation runs here (process ${process.pid})`,
  });
  const versions = join(rig.prefix, 'usr/local/cidermill/versions');
  mkdirSync(join(versions, '..'));
  symlinkSync(rig.folder, versions);
  t.match(rig.run(script, prefix), { status: 1, stderr: `${versions} is a link; remove it` });
  t.equal(rig.called(), null, 'nothing ran');
  t.same(rig.asked(), []);
});

t.test('which package a machine gets', async (t) => {
  const rig = await openInstallers(t, ['darwin-arm64']);
  const script = await rig.script('host-agent');
  const machine = (system: string, processor: string, arm64 = '') => {
    rig.standIn('uname', `#!/bin/sh\ncase $1 in -s) echo ${system} ;; -m) echo ${processor} ;; esac\n`);
    rig.standIn('sysctl', `#!/bin/sh\necho '${arm64}'\n`);
  };
  for (const [system, processor, arm64] of [
    ['Darwin', 'arm64'],
    ['Darwin', 'x86_64', '1'],
  ] as const) {
    machine(system, processor, arm64);
    t.match(rig.run(script, ['--prefix', rig.prefix]), { status: 0 });
    t.match(rig.called()?.args, ['host-agent', 'install'], 'a translated shell is on a Mac with Apple silicon too');
  }
  rmSync(rig.prefix, { recursive: true });
  for (const [system, processor] of [
    ['Darwin', 'x86_64'],
    ['Linux', 'x86_64'],
    ['FreeBSD', 'amd64'],
  ] as const) {
    machine(system, processor);
    const refused = rig.run(script, ['--token', 'x']);
    t.match(refused, { status: 1, stderr: /no package of the host agent for .* here\. Hosts are Macs/ });
  }
  const laid = rig.run(script, ['--prefix', rig.prefix]);
  t.match(laid, { status: 0, stdout: /^left out, .* account, data folder/m });
  t.equal(readlinkSync(join(rig.prefix, 'usr/local/cidermill/current')), `versions/${VERSION}`);
  t.equal(readlinkSync(join(rig.prefix, 'usr/local/bin/cidermill')), '../cidermill/current/bin/cidermill');
  t.match(execFileSync(join(rig.prefix, 'usr/local/bin/cidermill'), ['x'], { input: '' }).toString(), '');
});

t.test('a signed package is checked by what is trusted most', async (t) => {
  const key = openKey(join(tempFolder(t), 'key.pem'), { outsideOf: [], say() {} });
  const rig = await openInstallers(t, undefined, SITE, (folder) => signSums(folder, key));
  const script = await rig.script('host-agent');
  t.match(script, `KEY='${key.text}'`);
  const run = (args: string[], env: Record<string, string> = {}) =>
    rig.run(script, ['--prefix', rig.prefix, ...args], { env });
  const work = join(rig.prefix, 'usr/local/.cidermill-install');
  const unpacked = `${work}/new/cidermill-host-agent-${VERSION}/bin/cidermill`;

  t.match(run([], { VERIFY: '78' }), { status: 1, stderr: /was refused; nothing was installed/ });
  t.equal(rig.called(), null);
  t.same(readdirSync(join(rig.prefix, 'usr/local')), [], 'nothing is left of it');
  t.match(run([]), { status: 0 });
  const asked = `host-agent verify ${work}/${NAME}`;
  t.same(rig.verified().at(-1), `${unpacked} ${asked} --public-key ${key.text}`, 'the first time, itself');
  t.match(rig.asked().slice(-2), ['SHA256SUMS from 0', 'SHA256SUMS.minisig from 0']);

  // An installed program of root is asked instead, and has its own key.
  const root = join(rig.prefix, 'usr/local/cidermill');
  symlinkSync(`versions/${VERSION}`, join(root, 'current'));
  t.match(run([]), { status: 0 });
  t.same(rig.verified().at(-1), `${root}/current/bin/cidermill ${asked}`);
  const tree = treeOf(rig.prefix);
  t.match(run([], { VERIFY: '78' }), { status: 1, stderr: /was refused/ });
  t.same(
    treeOf(root),
    Object.fromEntries(
      Object.entries(tree).flatMap(([name, text]) =>
        name.startsWith('usr/local/cidermill/') ? [[name.slice('usr/local/cidermill/'.length), text]] : [],
      ),
    ),
  );
  t.match(run(['--public-key', 'RWother']), { status: 0 });
  t.same(rig.verified().at(-1), `${root}/current/bin/cidermill ${asked} --public-key RWother`);
  // An earlier version has no such command.
  const before = rig.verified().length;
  t.match(run([], { VERIFY: '64' }), { status: 0 });
  t.equal(rig.verified().length, before + 2);

  // Where nothing is installed the package would vouch for itself.
  rmSync(rig.prefix, { recursive: true });
  const times = rig.verified().length;
  t.match(run(['--public-key', 'RWmine']), { status: 1, stderr: /minisign is needed .*; nothing was installed/ });
  t.equal(rig.verified().length, times, 'nothing of the package is run');
  t.same(readdirSync(join(rig.prefix, 'usr/local')), []);

  // minisign comes from elsewhere.
  rig.standIn('minisign', `#!/bin/sh\necho "$*" >>'${rig.folder}/minisign'\nexit \${MINISIGN:-0}\n`);
  t.match(run(['--public-key', 'RWmine'], { MINISIGN: '1' }), {
    status: 1,
    stderr: /not signed with the key RWmine/,
  });
  t.match(run(['--public-key', 'RWmine']), { status: 0 });
  t.match(readFileSync(`${rig.folder}/minisign`, 'utf8'), `-V -q -m ${work}/SHA256SUMS -P RWmine\n`);
  const sums = readFileSync(join(rig.packages, 'SHA256SUMS'), 'utf8');
  rmSync(rig.prefix, { recursive: true });
  writeFileSync(
    join(rig.packages, 'SHA256SUMS'),
    sums.replaceAll(/^./gm, (digit) => (digit === '0' ? '1' : '0')),
  );
  t.match(run(['--public-key', 'RWmine']), { status: 1, stderr: /not signed with the key RWmine/ }, 'other sums');
  writeFileSync(join(rig.packages, 'SHA256SUMS'), sums);
  rmSync(join(rig.packages, 'SHA256SUMS.minisig'));
  const unsigned = await rig.script('host-agent');
  const refused = rig.run(unsigned, ['--prefix', rig.prefix, '--public-key', 'RWmine']);
  t.match(refused, { status: 1, stderr: /the packages of http:\/\/macs\.test are not signed/ });
});
