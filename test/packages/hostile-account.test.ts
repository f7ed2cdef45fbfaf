// The installer of the host agent, run by root on a machine whose agent's account tries to become root by it.
// Requires: root
// Runs in: soak
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type InstallPaths, installPaths } from '../../host-agent/installation/paths.js';
import { type InstallerRig, openInstallers, treeOf, VERSION } from './installer-rig.js';

const ACCOUNT = { uid: 65_534, gid: 65_534 };
const OLD = '1.0.0';

/** A machine as earlier versions left it: all of the program belongs to the account. */
async function ownedByTheAccount(t: Test) {
  const rig = await openInstallers(t);
  const paths = installPaths(rig.prefix);
  chmodSync(rig.folder, 0o755);
  mkdirSync(join(paths.versions, OLD, 'bin'), { recursive: true });
  writeFileSync(join(paths.versions, OLD, 'bin/cidermill'), evil(rig), { mode: 0o755 });
  symlinkSync(`versions/${OLD}`, paths.current);
  for (const path of [paths.root, paths.versions, join(paths.versions, OLD), join(paths.versions, OLD, 'bin')]) {
    chownSync(path, ACCOUNT.uid, ACCOUNT.gid);
  }
  return { rig, paths, script: await rig.script('host-agent') };
}

/** A program that says who ran it. */
const evil = (rig: InstallerRig) => `#!/bin/sh\nid -u >>'${rig.folder}/evil'\n`;
const ranAs = (rig: InstallerRig) =>
  existsSync(`${rig.folder}/evil`) ? readFileSync(`${rig.folder}/evil`, 'utf8') : '';

/** Everything that the account can do where it may: its own program in each place that root could run. */
const ATTACK = ({ root, versions }: InstallPaths, program: string) => `
for place in '${versions}/${VERSION}' '${versions}' '${root}'; do
  mv "$place" "$place.mine"
  mkdir -p '${versions}/${VERSION}/bin' && cp '${program}' '${versions}/${VERSION}/bin/cidermill'
  ln -sfn 'versions/${VERSION}' '${root}/current'
done
`;

t.test('root runs only files that root has unpacked, for any action of the account at any step', async (t) => {
  const tools = ['mkdir', 'find', 'chmod', 'sha256sum', 'tar', 'mv', 'rm', 'wc', 'cat', 'readlink'];
  for (const [tool, when] of tools.flatMap((tool) => [[tool, 'before'] as const, [tool, 'after'] as const])) {
    const { rig, paths, script } = await ownedByTheAccount(t);
    const mine = join(rig.folder, 'mine');
    writeFileSync(mine, evil(rig), { mode: 0o755 });
    writeFileSync(join(rig.folder, 'attack'), ATTACK(paths, mine));
    const attack = `PATH=/usr/bin:/bin setpriv --reuid ${ACCOUNT.uid} --regid ${ACCOUNT.gid} --clear-groups sh '${rig.folder}/attack' >/dev/null 2>&1 </dev/null`;
    rig.standIn(
      tool,
      `#!/bin/sh\n${when === 'before' ? attack : ''}\n/usr/bin/${tool} "$@"; code=$?\n${when === 'after' ? attack : ''}\nexit $code\n`,
    );
    const ran = rig.run(script, ['--prefix', rig.prefix]);
    t.match(rig.called()?.args.slice(0, 2), ['host-agent', 'install'], `${when} ${tool}: ${ran.stderr}`);
    t.equal(ranAs(rig), '', `${when} ${tool}: root ran nothing of the account`);
    for (const path of [
      paths.root,
      paths.versions,
      join(paths.versions, VERSION),
      join(paths.versions, VERSION, 'bin/cidermill'),
    ]) {
      t.match(statSync(path), { uid: 0 }, path);
    }
  }
});

t.test('files of the account are copied unchanged', async (t) => {
  const { rig, paths, script } = await ownedByTheAccount(t);
  const victim = join(rig.folder, 'victim');
  writeFileSync(victim, 'untouched', { mode: 0o600 });
  linkSync(victim, join(paths.versions, OLD, 'bin/hard'));
  symlinkSync(victim, join(paths.versions, `${VERSION}.new`));
  symlinkSync(victim, join(paths.root, 'current.new'));
  t.match(rig.run(script, ['--prefix', rig.prefix]), { status: 0 });
  t.match(lstatSync(paths.agent.root), { uid: ACCOUNT.uid });
  t.ok(existsSync(join(paths.agent.versions, OLD, 'bin/cidermill')), 'builds may be running from it');
  t.match({ ...statSync(victim) }, { uid: 0, mode: 0o100600 });
  t.equal(readFileSync(victim, 'utf8'), 'untouched');
  const tree = treeOf(rig.prefix);
  t.match(rig.run(script, ['--prefix', rig.prefix]), { status: 0 }, 'again');
  t.same(treeOf(rig.prefix), tree);

  // Half of an earlier version's change of owner: the folder is root's, what is in it is not.
  chownSync(join(paths.versions, VERSION, 'bin/cidermill'), ACCOUNT.uid, ACCOUNT.gid);
  t.match(rig.run(script, ['--prefix', rig.prefix]), { status: 0 });
  t.match(statSync(join(paths.versions, VERSION, 'bin/cidermill')), { uid: 0 });
});

t.test('a folder above that the account can change is refused', async (t) => {
  for (const [mode, owner] of [
    [0o755, ACCOUNT],
    [0o775, { uid: 0, gid: ACCOUNT.gid }],
    [0o777, { uid: 0, gid: 0 }],
  ] as const) {
    for (const path of ['usr/local', 'usr', '']) {
      const rig = await openInstallers(t);
      const script = await rig.script('host-agent');
      mkdirSync(join(rig.prefix, 'usr/local'), { recursive: true });
      const open = join(rig.prefix, path);
      chownSync(open, owner.uid, owner.gid);
      chmodSync(open, mode);
      const message = `users other than root can change ${open.replace(/\/$/, '')}, so`;
      t.match(rig.run(script, ['--prefix', rig.prefix]), { status: 1, stderr: message });
      t.same([rig.called(), rig.asked()], [null, []], 'nothing was downloaded or run');
    }
  }
  const rig = await openInstallers(t);
  const script = await rig.script('host-agent');
  const tmp = join(rig.folder, 'tmp');
  mkdirSync(tmp);
  chownSync(tmp, ACCOUNT.uid, ACCOUNT.gid);
  for (const command of ['--dry-run', '--uninstall']) {
    const stderr = `users other than root can change ${tmp}`;
    t.match(rig.run(script, ['--prefix', rig.prefix, command]), { status: 1, stderr }, command);
  }
  t.equal(rig.called(), null);
});
