// GET /install/cli: the script that installs the command line for one person.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openKey, type SigningKey, signSums } from '../../tools/package/signing.js';
import { tempFolder } from '../host-agent/runner/rig.js';
import { openInstallers, SITE, treeOf, VERSION } from './installer-rig.js';

const NAME = `cidermill-cli-${VERSION}.tgz`;

t.test('installed, again, and removed', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('cli');
  const home = join(rig.folder, 'home');
  mkdirSync(home);
  t.match(rig.run(script, ['--dry-run']), { status: 0, stdout: /^would unpack .*\nwould link / });
  t.same(treeOf(home), {}, 'a dry run changes nothing');

  const first = rig.run(script, []);
  t.match(first, {
    status: 0,
    stdout: /^downloading .*\ninstalled cidermill 1\.2\.3 as .*\nadd it to your PATH: /,
  });
  t.ok(first.stdout.endsWith(`log in: cidermill login --url ${SITE}\n`));
  const command = join(home, '.local/bin/cidermill');
  t.equal(execFileSync(command, { encoding: 'utf8' }), `${VERSION}\n`);
  const tree = treeOf(home);
  t.match(Object.keys(tree), [
    '.local',
    '.local/bin',
    '.local/bin/cidermill',
    '.local/share',
    '.local/share/cidermill',
    `.local/share/cidermill/${VERSION}`,
  ]);

  const older = join(home, '.local/share/cidermill/1.0.0');
  mkdirSync(older);
  const path = `${rig.bin}:${home}/.local/bin:${process.env.PATH}`;
  const again = rig.run(script, [], { path });
  t.match(again, { status: 0 });
  t.notMatch(again.stdout, /PATH/, 'the command is on the PATH already');
  t.same(treeOf(home), tree, 'the version before is removed');

  t.match(rig.run(script, ['--uninstall', '--dry-run']), { status: 0, stdout: /^would remove / });
  t.same(treeOf(home), tree);
  t.match(rig.run(script, ['--uninstall']), { status: 0, stdout: /^removed / });
  t.match(rig.run(script, ['--uninstall']), { status: 0 });
  t.same(Object.keys(treeOf(home)), ['.local', '.local/bin', '.local/share']);

  const elsewhere = join(rig.folder, 'a folder');
  t.match(rig.run(script, ['--prefix', 'a folder'], { env: { HOME: '' } }), { status: 0 });
  t.equal(execFileSync(join(elsewhere, 'bin/cidermill'), { encoding: 'utf8' }), `${VERSION}\n`);
});

t.test('a broken download is continued, a wrong one removed', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('cli');
  const breaks = join(rig.packages, 'break');
  writeFileSync(breaks, '');
  t.match(rig.run(script, []), { status: 1, stderr: /it continues where it ended/ });
  rmSync(breaks);
  t.match(rig.run(script, []), { status: 0 });
  const half = Math.floor(readFileSync(join(rig.packages, NAME)).length / 2);
  t.same(rig.asked(), [`${NAME} from 0`, `${NAME} from ${half}`]);
  writeFileSync(join(rig.packages, NAME), 'something else');
  t.match(rig.run(script, ['--prefix', 'new']), { status: 1, stderr: /does not have the checksum/ });
  t.same(Object.keys(treeOf(join(rig.folder, 'new'))), ['bin', 'share', 'share/cidermill']);
});

t.test('what it refuses', async (t) => {
  const rig = await openInstallers(t);
  const script = await rig.script('cli');
  t.match(rig.run(script, ['--help']), {
    status: 0,
    stdout: /npm install -g .*\/cidermill-cli-1\.2\.3\.tgz\n$/,
  });
  t.match(rig.run(script, ['--version']), { status: 0, stdout: `${VERSION}\n` });
  t.match(rig.run(script, ['--global']), { status: 64, stderr: /unknown option --global/ });
  t.match(rig.run(script, ['--prefix']), { status: 64, stderr: /--prefix needs a value/ });
  t.match(rig.run(script, [], { env: { HOME: '' } }), { status: 1, stderr: /HOME is not set/ });

  for (const [version, fits] of [
    ['18.20.1', false],
    ['20.18.9', false],
    ['20.19.0', true],
    ['22.0.0', true],
  ] as const) {
    rig.standIn('node', `#!/bin/sh\necho ${version}\n`);
    const ran = rig.run(script, ['--dry-run']);
    t.equal(ran.status, fits ? 0 : 1, version);
    if (!fits) t.match(ran.stderr, `Node 20.19 or newer is needed; ${rig.bin}/node is ${version}`);
  }
  const few = join(rig.folder, 'few');
  mkdirSync(few);
  for (const tool of ['dash', 'curl', 'sha256sum', 'tar']) symlinkSync(`/usr/bin/${tool}`, join(few, tool));
  t.match(rig.run(script, ['--dry-run'], { path: few }), {
    status: 1,
    stderr: /there is no node on the PATH/,
  });

  rmSync(join(rig.bin, 'node'));
  const bin = join(rig.folder, 'mine/bin');
  mkdirSync(bin, { recursive: true });
  for (const put of [
    () => writeFileSync(join(bin, 'cidermill'), 'a file'),
    () => symlinkSync('/usr/lib/node_modules/cidermill/bin.cjs', join(bin, 'cidermill')),
  ]) {
    put();
    for (const args of [[], ['--uninstall']]) {
      const ran = rig.run(script, ['--prefix', 'mine', ...args]);
      t.match(ran, { status: 1, stderr: /was not made by this installer; remove it, or give --prefix/ });
    }
    rmSync(join(bin, 'cidermill'));
  }
  t.same(rig.asked(), []);
});

t.test('with --public-key, only what that key has signed', async (t) => {
  const [mine, other] = ['mine', 'other'].map((name) =>
    openKey(join(tempFolder(t), name), { outsideOf: [], say() {} }),
  ) as [SigningKey, SigningKey];
  const rig = await openInstallers(t, undefined, undefined, (folder) => signSums(folder, mine));
  const script = await rig.script('cli');
  const run = (key: string) => rig.run(script, ['--prefix', rig.prefix, '--public-key', key]);
  const refusal = { status: 1, stderr: /is not signed with the key .*; nothing was installed/ };
  for (const key of [other.text, 'RW', `${mine.text.slice(0, 20)}${other.text.slice(20)}`]) t.match(run(key), refusal);
  const sums = join(rig.packages, 'SHA256SUMS');
  const text = readFileSync(sums, 'utf8');
  writeFileSync(sums, text.replaceAll(/^./gm, '0'));
  t.match(run(mine.text), refusal);
  writeFileSync(sums, text);
  t.match(run(mine.text), { status: 0, stdout: /^installed cidermill/m });
  t.match(run(other.text), refusal);
});
