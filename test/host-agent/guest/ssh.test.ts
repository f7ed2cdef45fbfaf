// Guests over ssh: a real client and a real sshd.
// Requires: fish
// Runs in: soak
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { openGuestScript } from '../../../host-agent/guest/script.js';
import { remoteCommand } from '../../../host-agent/guest/ssh-command.js';
import { setUpSsh } from '../../../host-agent/guest/ssh-setup.js';
import { explainSsh, type SshGuest, sshTransport } from '../../../host-agent/guest/ssh-transport.js';
import { defaultGuestLimits } from '../../../host-agent/limits.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { cases, runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { changeHostKey, type LumeGuest, openLumeGuest } from './ssh-guest.js';

/** Pauses between attempts are short. */
const clock: Clock = {
  ...systemClock,
  setTimeout: (fn, ms) => systemClock.setTimeout(fn, ms === 1_000 ? 20 : ms),
};
const WAIT = { timeoutMs: 30_000, clock };

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/usr/bin/zsh', '/usr/bin/fish'];

/** Returns what the shell passes to a command, each argument ended by a NUL. */
function received(shell: string, argv: readonly string[]): Buffer {
  const print = ['/usr/bin/perl', '-e', 'print map { "$_\\0" } @ARGV', '--', ...argv];
  return spawnSync(shell, ['-c', remoteCommand(print)], {
    env: { HOME: '/nonexistent', PATH: '/usr/bin:/bin' },
  }).stdout;
}

const asSent = (argv: readonly string[]) => Buffer.from(argv.map((argument) => `${argument}\0`).join(''));

const awkward = [
  '',
  ' ',
  "'",
  '"',
  '\\',
  "\\'",
  "'\\",
  '\\\\n',
  '$HOME',
  '`id`',
  '~',
  '*',
  '!x',
  '=ls',
  '-n',
  '--',
  '#',
  '\n',
  '\r',
  '\t',
  '\x01',
  '\x7f',
  '&;|<>(){}[]',
  "''",
  '日本語',
  'a\\',
  '%n',
  '^x^y',
];

t.test('the login shell passes on exactly the arguments that were given', async (t) => {
  for (const shell of shells) {
    const list = [...awkward, ...awkward.map((one) => one + one)];
    t.same(received(shell, list), asSent(list), shell);
  }
  t.throws(() => remoteCommand(['a\0b']), RangeError);
});

t.test('arguments with any characters pass unchanged through every shell', async () => {
  const unit = fc.oneof(
    fc.constantFrom(...`'"\\$\` \n~*`),
    fc.integer({ min: 1, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
  );
  const list = fc.array(fc.string({ unit }), { minLength: 10, maxLength: 60 });
  for (const shell of shells) {
    fc.assert(
      fc.property(list, (argv) => received(shell, argv).equals(asSent(argv))),
      { numRuns: cases(4) },
    );
  }
});

const run = (guest: SshGuest, ...argv: string[]) => runInGuest(sshTransport(guest), argv, WAIT);
const say = async (guest: SshGuest, ...argv: string[]) => (await run(guest, ...argv)).stdout.toString();
const takes = async (guest: SshGuest, password: string) =>
  (await run(guest, 'dscl', '.', '-authonly', 'lume', password)).status === 0;

const KEYCHAIN = 'Users/lume/Library/Keychains/login.keychain-db';
const keychainOf = (far: LumeGuest) =>
  Object.fromEntries(
    readFileSync(far.file(KEYCHAIN), 'utf8')
      .split('\n')
      .map((line) => line.split('=')),
  );

/** Returns the password for the automatic login, as the system reads it. */
function loginPassword(far: LumeGuest): string {
  const key = [0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f];
  const plain = readFileSync(far.file('private/etc/kcpassword')).map((byte, at) => byte ^ key[at % key.length]!);
  return plain.subarray(0, plain.indexOf(0)).toString();
}

t.test('a guest accepts only the key of its Mac', async (t) => {
  const far = await openLumeGuest(t);
  const { guest } = far;
  await setUpSsh(guest, 'lume', WAIT);
  t.equal(await say(guest, 'printf', '%s', "it's"), "it's");
  t.same(readdirSync(guest.folder).sort(), ['host_key.pub', 'key', 'key.pub', 'known_hosts']);
  for (const file of ['key', 'known_hosts']) t.equal(statSync(join(guest.folder, file)).mode & 0o077, 0, file);

  const password = loginPassword(far);
  t.same(keychainOf(far), { password, locked: 'no', '': undefined }, 'the keychain follows the account');
  t.ok(await takes(guest, password));
  t.notOk(await takes(guest, 'lume'));
  const known = readdirSync(guest.folder).map((file) => readFileSync(join(guest.folder, file), 'utf8'));
  t.notOk(
    known.some((text) => text.includes(password)),
    'this host does not know it',
  );

  await setUpSsh(guest, 'lume', WAIT);
  t.equal(loginPassword(far), password, 'a second setup changes nothing');

  rmSync(far.file('Users/lume/.ssh'), { recursive: true, force: true });
  chmodSync(far.file('Users/lume'), 0o777);
  t.equal(await say(guest, 'echo', 'here'), 'here\n', 'a build cannot lock the host out by accident');

  changeHostKey(far);
  const refused = { name: 'GuestUnreachableError', message: /another host key/ };
  await t.rejects(run(guest, 'true'), refused, 'a guest with another host key gets nothing');
});

t.test('an image whose sudo asks for a password and whose keychain has another password', async (t) => {
  const far = await openLumeGuest(t);
  far.steer('sudo-asks');
  writeFileSync(far.file(KEYCHAIN), 'password=another\nlocked=yes\nitem=generic\t\t\tx\n');
  await setUpSsh(far.guest, 'lume', WAIT);
  t.equal((await run(far.guest, 'sudo', '-n', 'true')).status, 0);
  t.same(keychainOf(far), { password: loginPassword(far), locked: 'no', '': undefined });
});

t.test('wrong passwords, users without sudo and images that stay open are refused', async (t) => {
  const far = await openLumeGuest(t);
  await t.rejects(setUpSsh(far.guest, 'admin', WAIT), { code: 'wrong_password', message: /its user lume/ });
  const groups = far.file('private/etc/group');
  const before = readFileSync(groups, 'utf8');
  writeFileSync(groups, before.replace('root,lume', 'root'));
  await t.rejects(setUpSsh(far.guest, 'lume', WAIT), { code: 'no_sudo' });
  writeFileSync(groups, before);
  const config = far.file('private/etc/ssh/sshd_config');
  writeFileSync(config, `${readFileSync(config, 'utf8')}\nMatch User lume\nPasswordAuthentication yes\n`);
  const message = /publickey, password/;
  await t.rejects(setUpSsh(far.guest, 'lume', WAIT), { code: 'password_login', message });
});

t.test('a setup interrupted at any point is continued', async (t) => {
  for (const at of [3, 6, 2, 4, 5, 7].slice(0, runs(2, 6))) {
    const far = await openLumeGuest(t);
    far.steer('sudo-kills', `${at}\n`);
    await setUpSsh(far.guest, 'lume', WAIT);
    const left = readFileSync(far.file('private/var/db/stand-in/sudo-kills'), 'utf8');
    t.ok(Number(left) < 0, `interrupted at command ${at}`);
    t.ok(await takes(far.guest, loginPassword(far)));
    t.match(keychainOf(far), { password: loginPassword(far) });
  }
});

t.test('setup waits for a booting guest, whose address may change', async (t) => {
  const far = await openLumeGuest(t, { bootMs: 300 });
  const addresses = [null, '127.77.251.1', far.address];
  let asked = 0;
  const booting: SshGuest = { ...far.guest, address: async () => addresses[Math.min(asked++, 2)] ?? null };
  await setUpSsh(booting, 'lume', WAIT);
  asked = 1;
  const transport = sshTransport(booting);
  const refused = { message: /could not be reached.*refused/ };
  await t.rejects(runInGuest(transport, ['true'], WAIT), refused);
  t.equal((await runInGuest(transport, ['true'], WAIT)).status, 0, 'the address is looked up again');
  await runInGuest(transport, ['true'], WAIT);
  t.equal(asked, 3, 'and kept while it works');
  asked = 0;
  await t.rejects(runInGuest(sshTransport(booting), ['true'], WAIT), { message: /has no address/ });
});

t.test('a build continues while connections break, and output of a login shell is ignored', async (t) => {
  const far = await openLumeGuest(t);
  writeFileSync(far.file('Users/lume/.zshenv'), 'echo welcome; echo "done 0"; printf "%s" $RANDOM');
  await setUpSsh(far.guest, 'lume', WAIT);
  let output = '';
  const request = {
    file: '/private/tmp/script',
    cwd: '/Users/lume',
    shell: null,
    columns: 200,
    rows: 50,
    mark: 'CIDERMILL_TEST=1',
    env: { CIDERMILL_TEST: '1' },
    variables: {},
    files: {},
    secrets: '/nowhere',
    // It waits at three lines until its connection was broken.
    script: `
      i=0
      while [ $i -lt 60 ]; do
        i=$((i+1)); echo "line $i"
        case $i in 5|20|40) until [ -e "$HOME/broken-$i" ]; do sleep 0.02; done ;; esac
      done
      exit 7`,
    onOutput: (bytes: Buffer) => {
      output += bytes;
    },
  };
  const limits = { ...defaultGuestLimits, retryBaseMs: 1, retryMaxMs: 20 };
  const script = openGuestScript(sshTransport(far.guest), request, { limits });
  script.begin();
  for (const i of [5, 20, 40]) {
    await until(() => output.includes(`line ${i}\n`), `line ${i}`);
    await far.drop();
    writeFileSync(far.file(`Users/lume/broken-${i}`), '');
  }
  t.match(await script.ended, { exitCode: 7, complete: true });
  await script.close();
  const lines = output.slice(output.indexOf('line 1\n')).trim().split('\n');
  t.same(
    lines,
    Array.from({ length: 60 }, (_, at) => `line ${at + 1}`),
  );
});

t.test('what ssh prints is explained', async (t) => {
  const text = 'ssh: connect to host 192.168.64.3 port 22';
  const firstLine = (stderr: string) => explainSsh(stderr).split('\n')[0];
  t.match(firstLine(`${text}: No route to host\r\n`), /macOS denies this program the local network/);
  t.equal(firstLine(`Welcome!\r\n${text}: Connection refused\r\n`), `${text}: Connection refused`);
  t.equal(firstLine(''), '');
});
