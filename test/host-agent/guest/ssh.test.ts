// Guests over ssh: a real client and a real sshd.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { remoteCommand } from '../../../host-agent/guest/ssh-command.js';
import { setUpSsh } from '../../../host-agent/guest/ssh-setup.js';
import { explainSsh, type SshGuest, sshTransport } from '../../../host-agent/guest/ssh-transport.js';
import { type Clock, systemClock } from '../../../shared/clock.js';
import { runs } from '../../harness/soak.js';
import { until } from '../../harness/until.js';
import { tempFolder } from '../runner/rig.js';
import { openSshGuest, type SshGuestOptions, type SshGuestStandIn } from './ssh-guest.js';

/** Pauses between attempts are short. */
const clock: Clock = {
  now: systemClock.now,
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

t.test('arguments of any characters pass every shell', async () => {
  const unit = fc.oneof(
    fc.constantFrom(...`'"\\$\` \n~*`),
    fc.integer({ min: 1, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
  );
  const list = fc.array(fc.string({ unit }), { minLength: 10, maxLength: 60 });
  for (const shell of shells) {
    fc.assert(
      fc.property(list, (argv) => received(shell, argv).equals(asSent(argv))),
      { numRuns: runs(8, 200) },
    );
  }
});

interface Set {
  far: SshGuestStandIn;
  guest: SshGuest;
  folder: string;
}

async function open(t: Test, options: SshGuestOptions = {}): Promise<Set> {
  const far = await openSshGuest(t, options);
  const folder = join(tempFolder(t), 'a "folder" with 100%d');
  const guest: SshGuest = {
    user: far.user,
    folder,
    connectS: 5,
    aliveS: 1,
    address: async () => far.address,
  };
  return { far, guest, folder };
}

const say = async (guest: SshGuest, ...argv: string[]) =>
  (await runInGuest(sshTransport(guest), argv, WAIT)).stdout.toString();

t.test('a guest is closed to all but the key of its Mac', async (t) => {
  const { far, guest, folder } = await open(t);
  await setUpSsh(guest, 'lume', WAIT);
  t.equal(await say(guest, 'printf', '%s', "it's"), "it's");
  t.same(readdirSync(folder).sort(), ['key', 'key.pub', 'known_hosts'].concat('host_key.pub').sort());
  for (const file of readdirSync(folder))
    t.equal(statSync(join(folder, file)).mode & 0o077 & (file.endsWith('.pub') ? 0 : 0o777), 0, file);

  const changed = readFileSync(join(far.home, 'Library/Keychains/login.keychain-db'), 'utf8');
  t.not(changed, 'lume', 'the keychain has the new password');
  t.ok(existsSync(join(far.home, 'Library/Keychains/login.keychain-db.unlocked')));
  t.equal(loginPassword(far), changed, 'and so has the automatic login');
  t.equal(
    (await runInGuest(sshTransport(guest), ['dscl', '.', '-authonly', 'lume', changed], WAIT)).status,
    0,
  );
  t.not((await runInGuest(sshTransport(guest), ['dscl', '.', '-authonly', 'lume', 'lume'], WAIT)).status, 0);
  t.notOk(filesWith(folder, changed).length, 'this host does not know it');

  await setUpSsh(guest, 'lume', WAIT);
  t.equal(loginPassword(far), changed, 'a second setup changes nothing');
});

/** Returns the password for the automatic login, as the system reads it. */
function loginPassword(far: SshGuestStandIn): string {
  const key = [0x7d, 0x89, 0x52, 0x23, 0xd2, 0xbc, 0xdd, 0xea, 0xa3, 0xb9, 0x1f];
  const plain = readFileSync(join(far.etc, 'kcpassword')).map((byte, at) => byte ^ key[at % key.length]!);
  return plain.subarray(0, plain.indexOf(0)).toString();
}

const filesWith = (folder: string, text: string) =>
  readdirSync(folder).filter((file) => readFileSync(join(folder, file)).includes(text));

t.test(
  'neither a build that empties its home nor one that opens it to everybody locks the host out',
  async (t) => {
    const { far, guest } = await open(t);
    await setUpSsh(guest, 'lume', WAIT);
    rmSync(join(far.home, '.ssh'), { recursive: true, force: true });
    chmodSync(far.home, 0o777);
    t.equal(await say(guest, 'echo', 'here'), 'here\n');
  },
);

t.test('an image whose sudo asks for a password, and whose keychain has another one', async (t) => {
  const { far, guest } = await open(t, { sudoAsks: true });
  writeFileSync(join(far.home, 'Library/Keychains/login.keychain-db'), 'somebody else');
  await setUpSsh(guest, 'lume', WAIT);
  t.equal((await runInGuest(sshTransport(guest), ['sudo', '-n', 'true'], WAIT)).status, 0);
  t.equal(readFileSync(join(far.home, 'Library/Keychains/login.keychain-db'), 'utf8'), loginPassword(far));
});

t.test('a wrong password, and a user without sudo, are reported as such', async (t) => {
  const { guest } = await open(t, { password: 'other' });
  await t.rejects(setUpSsh(guest, 'lume', WAIT), { code: 'wrong_password', message: /its user lume/ });
  const { guest: second, far } = await open(t);
  writeFileSync(join(far.etc, 'sudo-refuses'), '');
  await t.rejects(setUpSsh(second, 'lume', WAIT), { code: 'no_sudo' });
});

t.test('a setup that was interrupted anywhere is continued', async (t) => {
  for (const at of [3, 7, 9, 12].slice(0, runs(2, 4))) {
    const { far, guest } = await open(t);
    writeFileSync(join(far.etc, 'crash-at'), String(at));
    await setUpSsh(guest, 'lume', WAIT);
    t.ok(
      readFileSync(join(far.etc, 'calls'), 'utf8').split('\n').length > at,
      `interrupted at command ${at}`,
    );
    const now = loginPassword(far);
    t.equal((await runInGuest(sshTransport(guest), ['dscl', '.', '-authonly', 'lume', now], WAIT)).status, 0);
    t.equal(readFileSync(join(far.home, 'Library/Keychains/login.keychain-db'), 'utf8'), now);
  }
});

t.test('a guest that boots is waited for, and gets another address', async (t) => {
  const { far, guest } = await open(t);
  await far.listen(false);
  const addresses = [null, '127.77.251.1', far.address];
  let asked = 0;
  const booting: SshGuest = { ...guest, address: async () => addresses[Math.min(asked++, 2)] ?? null };
  const setup = setUpSsh(booting, 'lume', WAIT);
  await until(() => asked > 3, 'several attempts');
  await far.listen(true);
  await setup;

  asked = 1;
  const transport = sshTransport(booting);
  await t.rejects(runInGuest(transport, ['true'], WAIT), { message: /could not be reached.*refused/ });
  t.equal((await runInGuest(transport, ['true'], WAIT)).status, 0, 'the address is looked up again');
  t.equal(asked, 3);
  await runInGuest(transport, ['true'], WAIT);
  t.equal(asked, 3, 'and kept while it works');
  asked = 0;
  await t.rejects(runInGuest(sshTransport(booting), ['true'], WAIT), { message: /has no address/ });
});

t.test('a guest with another host key gets nothing', async (t) => {
  const { far, guest } = await open(t);
  await setUpSsh(guest, 'lume', WAIT);
  const key = join(far.etc, 'ssh/cidermill_host_key');
  rmSync(key);
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await t.rejects(runInGuest(sshTransport(guest), ['true'], WAIT), {
    name: 'GuestUnreachableError',
    message: /another host key/,
  });
});

t.test('an image that goes on offering logins by password is refused', async (t) => {
  const { far, guest } = await open(t);
  const config = join(far.etc, 'ssh/sshd_config');
  writeFileSync(config, `${readFileSync(config, 'utf8')}\nMatch User lume\nPasswordAuthentication yes\n`);
  await t.rejects(setUpSsh(guest, 'lume', WAIT), { code: 'password_login', message: /publickey, password/ });
});

t.test('a connection that breaks is reported, and what a login shell prints does no harm', async (t) => {
  const { far, guest } = await open(t, { shell: '/usr/bin/zsh' });
  writeFileSync(join(far.home, '.zshenv'), 'echo welcome; echo "done 0"; printf "%s" $RANDOM');
  await setUpSsh(guest, 'lume', WAIT);
  t.equal(await say(guest, 'echo', 'here'), 'here\n');
  const sleeping = runInGuest(sshTransport(guest), ['sleep', '60'], WAIT);
  const before = far.connections();
  await until(() => far.connections() > before, 'the connection');
  far.drop();
  await t.rejects(sleeping, { name: 'GuestUnreachableError' });
});

t.test('what ssh prints is explained', async (t) => {
  const [first] = explainSsh('ssh: connect to host 192.168.64.3 port 22: No route to host\r\n').split('\n');
  t.match(first, /macOS denies this program the local network/);
  t.equal(
    explainSsh('ssh: connect to host 192.168.64.3 port 22: Connection refused'),
    'ssh: connect to host 192.168.64.3 port 22: Connection refused',
  );
});
