// Secrets may have any name: the programs of the service that start a build's script do not see them.
// Requires: root, zsh
// Runs in: soak
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import type { BuildSecret } from '../../../shared/protocol/index.js';
import { everyNth } from '../../harness/soak.js';
import { openGuestRig } from './guest-rig.js';
import { openRig, type Rig, SLOT, tempFolder } from './rig.js';

/** Names that change how shells, interpreters, loaders and git work, with values that break them. */
const hostile: readonly [name: string, value: string][] = [
  ['PERL5OPT', '-MNo::Such::Module'],
  ['PERL5LIB', '/nowhere'],
  ['PERL5DB', 'BEGIN { exit 9 }'],
  ['PERL_UNICODE', 'SDA'],
  ['LD_PRELOAD', '/nowhere/library.so'],
  ['LD_LIBRARY_PATH', '/nowhere'],
  ['LD_AUDIT', '/nowhere/audit.so'],
  ['DYLD_INSERT_LIBRARIES', '/nowhere/library.dylib'],
  ['NODE_OPTIONS', '--require /nowhere/module.js'],
  ['NODE_PATH', '/nowhere'],
  ['PYTHONHOME', '/nowhere'],
  ['PYTHONPATH', '/nowhere'],
  ['PYTHONSTARTUP', '/nowhere'],
  ['RUBYOPT', '-rno_such_library'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:/nowhere.jar'],
  ['GIT_DIR', '/nowhere'],
  ['GIT_SSH_COMMAND', 'false'],
  ['GIT_CONFIG_COUNT', 'many'],
  ['BASH_ENV', '/nowhere'],
  ['ENV', '/nowhere'],
  ['TMOUT', '1'],
  ['POSIXLY_CORRECT', '1'],
  ['LC_ALL', 'no_SUCH.locale'],
  ['GLOBIGNORE', '*'],
  ['CDPATH', '/nowhere'],
  ['ZDOTDIR', '/nowhere'],
  ['FPATH', '/nowhere'],
  ['HISTSIZE', 'many'],
  ['USERNAME', 'nobody'],
  ['TAR_OPTIONS', '--no-such-option'],
  ['PAGER', 'false'],
  ['ODD', 'a\x01b\x7fc \\ "$HOME" `id` \u00fc\n\'end\' '],
  ['EMPTY', ''],
];

/** CRC and length of a value; it could be masked in any other form. */
const sumOf = (value: string) => execFileSync('cksum', { input: value }).toString().trim();

/** Every script succeeds and has the value, whatever the secret is called. */
async function scriptsSeeThem(t: Test, rig: Pick<Rig, 'run'>, nth: number): Promise<void> {
  for (const [name, value] of everyNth(nth, hostile)) {
    // The sum is made without the variable, which may break that program.
    const script = `value=$${name}; unset ${name}; printf %s "$value" | cksum`;
    const { result, log } = await rig.run(script, { secrets: [{ name, value }] });
    t.match(result, { outcome: 'exited', exit_code: 0, summary: null }, `${name}: ${log}`);
    t.ok(log.endsWith(`${sumOf(value)}\n`), `${name} has its value: ${log}`);
  }
}

/** Every byte; no variable can hold them. */
const CERT = Buffer.from(Array.from({ length: 512 }, (_, n) => (n * 7) % 256));

async function fileIsThere(t: Test, rig: Pick<Rig, 'run'>, exists: (name: string) => boolean): Promise<void> {
  const secrets: BuildSecret[] = [
    { name: 'CERT', value: CERT.toString('base64'), encoding: 'base64' },
    { name: 'TOKEN', value: 'of-the-token' },
  ];
  const script = [
    'echo "$CERT"; cksum <"$CERT"; ls -ln "$CERT" | cut -c 1-10; ls -A "$(dirname "$CERT")"',
    'ls -ln "$(dirname "$(dirname "$CERT")")" | grep secrets | cut -c 1-10',
    'case "$CERT" in "$PWD"/*|"$HOME"/*|"$CIDERMILL_ARTIFACTS"/*) echo inside;; esac',
    'cat "$CERT"; echo; echo "$TOKEN"; cp "$CERT" "$CIDERMILL_ARTIFACTS/copy"; exit 3',
  ].join('\n');
  const { result, log } = await rig.run(script, { secrets });
  t.equal(result.exit_code, 3, log);
  const [file = '', ...lines] = log.split('\n');
  const sum = execFileSync('cksum', { input: CERT }).toString().trim();
  t.match(lines, [sum, '-rw-------', 'CERT', 'drwx------']);
  t.same(lines.slice(4, 6), ['***', '***'], 'its bytes are masked');
  t.same(result.warnings, ['The artifact copy contains the value of the secret CERT.']);
  t.equal(path.basename(file), 'CERT');
  t.notOk(exists(file), 'it is gone with the build');
  t.notOk(exists(path.dirname(file)));
}

/** Shells read this file on startup; it prints the name of each. */
const BASH_ENV = '/tmp/cidermill-bash-env';
const TELL = `echo "read by $0" >&2\n`;

t.test('the script of a build sees its secrets, and what starts it on the host does not', async (t) => {
  const rig = await openRig(t);
  await scriptsSeeThem(t, rig, 1);
  await fileIsThere(t, rig, existsSync);

  const file = path.join(tempFolder(t), 'env');
  writeFileSync(file, TELL);
  const { log } = await rig.run('echo "ran by $0"', { secrets: [{ name: 'BASH_ENV', value: file }] });
  const [, script] = /ran by (.*)/.exec(log) ?? [];
  t.equal(log, `read by ${script}\nran by ${script}\n`, 'one shell reads it: that of the script');
  const profile = path.join(rig.driver.paths(SLOT).home, '.bash_profile');
  writeFileSync(profile, 'echo "profile has <$TOKEN>"; export TOKEN=of-the-profile\n');
  const own = await rig.run('echo "script has <$(echo $TOKEN | rev)>"; printenv | grep -c CIDERMILL_V_ || true', {
    secrets: [{ name: 'TOKEN', value: 'of-the-secret' }],
  });
  t.equal(own.log, 'profile has <>\nscript has <terces-eht-fo>\n0\n');
});

t.test('the script of a build sees its secrets, and what starts it in a virtual machine does not', async (t) => {
  const rig = await openGuestRig(t);
  await scriptsSeeThem(t, rig, 4);
  await fileIsThere(t, rig, (name) => existsSync(rig.guestFile(name)));

  writeFileSync(rig.guestFile(BASH_ENV), TELL);
  const folder = rig.guestFile('/Users/admin/zsh');
  mkdirSync(folder);
  writeFileSync(path.join(folder, '.zprofile'), 'exit 9\n');
  writeFileSync(path.join(folder, '.zshenv'), 'exit 9\n');
  const { result, log } = await rig.run('echo "ran by $0"; printenv | grep -c CIDERMILL_V_ || true', {
    secrets: [
      { name: 'BASH_ENV', value: BASH_ENV },
      { name: 'ZDOTDIR', value: '/Users/admin/zsh' },
    ],
  });
  t.equal(result.exit_code, 0);
  const [, script] = /ran by (.*)/.exec(log) ?? [];
  t.equal(log, `read by ${script}\nran by ${script}\n0\n`, 'one shell reads it: that of the script');
});
