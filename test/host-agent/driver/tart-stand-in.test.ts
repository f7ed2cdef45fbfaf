// The stand-in of tart does what tart is known to do: exit codes, streams, texts, and what happens in a guest.
// Runs in: soak
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { commandLines } from '../../harness/processes.js';
import { until } from '../../harness/until.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';

const image = 'ghcr.io/acme/macos:26';
const empty = '';
const usage = (command: string) => new RegExp(`\nUsage: tart ${command} \\.\\.\\.\n`);

type Row = readonly [args: string, code: number, stdout: string | RegExp, stderr: string | RegExp];

/** Calls one after the other on the same host. */
async function table(t: Test, { tart }: TartHost, rows: readonly Row[]): Promise<void> {
  for (const [args, code, stdout, stderr] of rows)
    t.match(await tart(...args.split(' ')), { code, stdout, stderr }, args);
}

const missing = 'the specified VM "vm9" does not exist\n';

t.test('exit codes of tart: 2 for three known errors, 1 for others, 64 for wrong arguments', async (t) => {
  const host = await openTartHost(t);
  await table(t, host, [
    ['list --format json', 0, '[\n\n]\n', empty],
    ['list --source elsewhere', 64, empty, usage('list')],
    ['list --no-such-flag', 64, empty, /^Error: Unknown option '--no-such-flag'\n/],
    ['clone', 64, empty, /^Error: Missing expected argument '<source-name>'\n/],
    ['fly vm9', 64, empty, /^Error: Unexpected argument 'fly'\n/],
    ['get vm9', 2, empty, missing],
    ['set vm9 --cpu 4', 2, empty, missing],
    ['stop vm9', 2, empty, missing],
    ['delete vm9', 2, empty, missing],
    ['ip vm9', 2, empty, missing],
    ['exec vm9 true', 2, empty, missing],
    ['exec vm9', 64, empty, /Missing expected argument '<command> \.\.\.'/],
    ['run --no-graphics vm9', 1, empty, `Error: ${missing}`],
    ['clone vm9 vm1', 2, empty, missing],
    ['clone ghcr.io/acme/macos:26 a/b', 64, empty, /<new-name> should be a local name/],
    [
      'pull ghcr.io/acme/macos:99',
      1,
      /^pulling ghcr/,
      /^Error: UnexpectedHTTPStatusCode\(when: "pulling manifest", code: 404/,
    ],
    ['prune', 64, empty, /at least one pruning criteria must be specified/],
    ['rename vm9 vm1', 64, empty, /failed to rename a non-existent local VM: vm9/],
    ['--version', 0, '2.36.0\n', empty],
  ]);
});

t.test(
  'images are pulled, listed twice and deleted; a clone keeps the MAC address and replaces one of its name',
  async (t) => {
    const host = await openTartHost(t);
    const { tart, digests } = host;
    const digest = digests[image];
    await table(t, host, [
      [
        `pull ${image}`,
        0,
        /^pulling ghcr\.io\/acme\/macos:26\.\.\.\npulling manifest\.\.\.\n.*\n0%\n(\d+%\n)*100%\n/,
        empty,
      ],
      [`pull ${image}`, 0, /image is already cached and linked!\n$/, empty],
      [`fqn ${image}`, 0, `ghcr.io/acme/macos@${digest}\n`, empty],
      ['list --source oci -q', 0, `${image}\nghcr.io/acme/macos@${digest}\n`, empty],
      ['list --source local --format json', 0, '[\n\n]\n', empty],
      [`clone ${image} vm1`, 0, empty, empty],
      ['set vm1 --cpu 6 --memory 16384 --disk-size 80', 0, empty, empty],
      [
        'set vm1 --disk-size 60',
        1,
        empty,
        'new disk size of 60 GB should be larger than the current disk size of 80 GB\n',
      ],
      ['set vm1 --cpu 1', 1, empty, /VM should have 2 CPU cores at minimum \(requested 1\)/],
      ['get vm1 --format json', 0, /"Size" : "25\.000"/, empty],
      ['pull vm1', 0, '"vm1" is a local image, nothing to pull here!\n', empty],
    ]);
    t.match(JSON.parse((await tart('get', 'vm1', '--format', 'json')).stdout), {
      OS: 'darwin',
      CPU: 6,
      Memory: 16384,
      Disk: 80,
      Running: false,
      State: 'stopped',
    });
    const mac = (vm: string) =>
      readFileSync(host.guestFile(vm, '../config.json'), 'utf8').match(/"macAddress" *: *"(.*)"/)?.[1];
    t.equal(mac('vm1'), '7e:3a:5f:00:00:01', 'the MAC of the image');
    await tart('clone', `ghcr.io/acme/macos@${digest}`, 'vm2');
    t.not(mac('vm2'), mac('vm1'), 'another one beside it');
    await tart('set', 'vm1', '--random-mac');
    t.not(mac('vm1'), '7e:3a:5f:00:00:01');
    writeFileSync(host.guestFile('vm2', 'Users/admin/work'), 'lost');
    await tart('clone', image, 'vm2');
    t.notOk(existsSync(host.guestFile('vm2', 'Users/admin/work')), 'replaced without a word');
    const moved = host.addImage(image, { usedGb: 30 });
    t.match(await tart('clone', image, 'vm3'), { stdout: empty }, 'a cached tag is not looked up again');
    t.match(await tart('pull', image), { stdout: /100%/ });
    t.same(
      (await tart('list', '--source', 'oci', '-q')).stdout.split('\n').sort(),
      ['', image, `ghcr.io/acme/macos@${digest}`, `ghcr.io/acme/macos@${moved}`].sort(),
    );
    await table(t, host, [
      [`delete ${image}`, 0, empty, empty],
      ['list --source oci -q', 0, empty, empty],
      [`delete ${image}`, 2, empty, `the specified VM "${image}" does not exist\n`],
      ['delete vm1 vm2 vm3', 0, empty, empty],
    ]);
    host.fault('pull-breaks', '40', 1);
    t.match(await tart('pull', image), {
      code: 1,
      stdout: /35%\n40%\nError pulling image/,
      stderr: /^Error: The network connection was lost/,
    });
    t.match(await tart('pull', image), { code: 0, stdout: /\)\.\.\.\n0%\n45%/ }, 'goes on where it was');
  },
);

t.test('two commands that fetch one image run one after the other', async (t) => {
  const host = await openTartHost(t, { faults: { 'pull-ms': '300' } });
  const pulls = await Promise.all([host.tart('pull', image), host.tart('pull', image)]);
  const [waited, fetched] = pulls.map(({ stdout }) => stdout).sort((a) => (a.includes('waiting') ? -1 : 1));
  t.match(fetched, /\n0%\n(\d+%\n)*100%\n/);
  t.match(waited, /\nwaiting for lock\.\.\.\n.* image is already cached! creating a symlink\.\.\.\n$/);
});

t.test('old versions have neither State nor Accessed', async (t) => {
  const host = await openTartHost(t, { faults: { version: '2.30.0' } });
  await host.tart('clone', image, 'vm1');
  const [vm] = JSON.parse((await host.tart('list', '--source', 'local', '--format', 'json')).stdout);
  t.same(vm, { Source: 'local', Name: 'vm1', Disk: 50, Size: 25, SizeOnDisk: 25, Running: false });
});

t.test('a virtual machine is started, used and stopped', async (t) => {
  const host = await openTartHost(t);
  const { tart } = host;
  await tart('clone', image, 'vm1');
  await table(t, host, [
    ['exec vm1 true', 2, empty, 'VM "vm1" is not running\n'],
    ['stop vm1', 2, empty, 'VM "vm1" is not running\n'],
    ['ip vm1', 1, empty, 'no IP address found, is your VM running?\n'],
  ]);
  const run = spawn(host.path, ['run', '--no-graphics', 'vm1'], {
    env: host.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = text(run.stdout);
  const ended = once(run, 'exit');
  await until(async () => (await host.running()).includes('vm1'), 'vm1 runs');
  t.same(await tart('exec', 'vm1', '/bin/sh', '-c', 'id -un; pwd; echo out; echo err >&2; exit 7'), {
    code: 7,
    stdout: 'admin\n/Users/admin\nout\n',
    stderr: 'err\n',
  });
  await table(t, host, [
    ['exec vm1 sudo id -u', 0, '0\n', empty],
    ['exec vm1 echo -i -- -t', 0, '-i -- -t\n', empty],
    ['exec vm1 -- ls', 1, empty, /^Error: unknown \(2\): exec: "--"/],
    ['exec vm1 /bin/nonesuch', 1, empty, 'Error: unknown (2): fork/exec /bin/nonesuch: no such file or directory\n'],
    ['exec -t vm1 tty', 133, empty, /failed to get terminal size/],
    ['run --no-graphics vm1', 2, empty, 'VM "vm1" is already running!\n'],
    ['delete vm1', 1, empty, 'VM "vm1" is running\n'],
    ['ip vm1', 0, /^127\.\d+\.\d+\.\d+\n$/, empty],
  ]);
  t.match(await tart('exec', 'vm1', 'sh', '-c', 'kill -9 $$'), { code: 255, stderr: empty });
  t.match(await tart('exec', 'vm1', 'cat', '/tmp/tart-guest-agent.log'), {
    stdout: /executing \["\/bin\/sh", "-c", "id -un;/,
  });
  await tart('exec', 'vm1', 'sudo', '/sbin/shutdown', '-h', 'now');
  t.match(await output, /^guest has stopped the virtual machine\n$/);
  t.same(await ended, [0, null]);
  await host.boot('vm1');
  t.match(await tart('stop', 'vm1'), { code: 0, stdout: empty, stderr: empty });
  t.match(await tart('delete', 'vm1'), { code: 0 });
});

t.test('a third virtual machine is refused with the names of the others; a leaked slot counts', async (t) => {
  const host = await openTartHost(t);
  for (const vm of ['vm1', 'vm2', 'vm3']) await host.tart('clone', image, vm);
  await host.boot('vm1');
  await host.boot('vm2');
  t.match(await host.tart('run', '--no-graphics', 'vm3'), {
    code: 1,
    stderr: 'The number of VMs exceeds the system limit (other running VMs: vm1, vm2)\n',
  });
  await host.kill('vm1');
  await host.kill('vm2');
  await until(async () => (await host.running()).length === 0, 'both are gone');
  host.fault('leaked-slots', '2', 1);
  t.match(await host.tart('run', '--no-graphics', 'vm3'), {
    code: 1,
    stderr: 'The number of VMs exceeds the system limit\n',
  });
  host.fault('keychain-locked', '', 1);
  t.match(await host.tart('run', '--no-graphics', 'vm3'), {
    code: 1,
    stderr: /^Error Domain=VZErrorDomain Code=1 .*SecKeyCreateRandomKey_ios/,
  });
  await host.boot('vm3');
});

t.test('a broken connection ends the command, but not its child processes', async (t) => {
  const host = await openTartHost(t);
  await host.tart('clone', image, 'vm1');
  await host.boot('vm1');
  const exec = spawn(host.path, ['exec', 'vm1', 'sh', '-c', 'sleep 1001 & echo up; sleep 1002; true'], {
    env: host.env,
  });
  await new Promise((resolve) => exec.stdout.once('data', resolve));
  const processes = async () => (await host.tart('exec', 'vm1', 'ps', '-axo', 'command=')).stdout;
  await until(async () => /^sleep 1002$/m.test(await processes()), 'both run');
  exec.kill('SIGKILL');
  await until(async () => !(await processes()).includes('sh -c sleep 1001'), 'the shell is gone');
  t.match(await processes(), /^sleep 1001$/m);
  t.match(await processes(), /^sleep 1002$/m);
  const holding = spawn(host.path, ['exec', 'vm1', 'sh', '-c', 'sleep 1004 & echo up'], { env: host.env });
  const held = once(holding, 'exit');
  await once(holding.stdout, 'data');
  await until(async () => !/^sh -c/m.test(await processes()), 'the command has ended');
  t.equal(holding.exitCode, null, 'but what it left has its pipes');
  await host.tart('exec', 'vm1', 'pkill', '-f', 'sleep 1004');
  t.same(await held, [0, null]);
  host.fault('exec-drops-after-bytes', '5', 1);
  t.match(await host.tart('exec', 'vm1', 'sh', '-c', 'printf 1234567890; sleep 1003'), {
    code: 1,
    stdout: '12345',
    stderr: /^Error: unavailable \(14\)/,
  });
  host.fault('exec-refuses', '', 1);
  const refused = /^Failed to connect to the VM using its control socket: .*, is the Tart Guest Agent running\?\n$/;
  t.match(await host.tart('exec', 'vm1', 'true'), { code: 1, stderr: refused });
  const session = () => host.tart('exec', 'vm1', 'sysctl', '-n', 'kern.bootsessionuuid');
  const before = await session();
  await host.tart('exec', 'vm1', 'sudo', '/sbin/reboot');
  // So that a call during the reboot does not wait for ten seconds.
  host.fault('connect-seconds', '0.2');
  await until(async () => {
    const { code, stdout } = await session();
    return code === 0 && stdout !== before.stdout;
  }, 'it is up again');
  host.mend('connect-seconds');
  t.notMatch(await processes(), /sleep/, 'a reboot ends everything');
  const length = `${process.pid}.5`;
  await host.tart('exec', 'vm1', 'sh', '-c', `(trap "" TERM; sleep ${length} >/dev/null 2>&1 &)`);
  await until(() => new RegExp(`^sleep.${length}.?$`, 'm').test(commandLines()), 'it is seen from the host');
  await host.kill('vm1');
  await until(() => !commandLines().includes(length), 'its processes have ended with the machine');
});
