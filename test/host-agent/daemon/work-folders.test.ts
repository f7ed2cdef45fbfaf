// The folders of a build: one work folder per source, usable whatever an earlier build did to it.
// Runs in: soak
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openBuildsFolder } from '../../../host-agent/daemon/builds-folder.js';
import { dropAccountCaches } from '../../../host-agent/daemon/macs/account-caches.js';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import type { MacDriver } from '../../../host-agent/driver/driver.js';
import { freeDisk, leastRecentlyUsed } from '../../../host-agent/driver/free-disk.js';
import type { LocalDriver } from '../../../host-agent/driver/local.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { folderNameOf } from '../../../host-agent/driver/work-folders.js';
import { systemClock } from '../../../shared/clock.js';
import type { BuildSource } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { casesOf } from '../../harness/soak.js';
import { openRig, type Rig, SLOT, tempFolder } from '../runner/rig.js';

const of = (source_key: string) => ({ spec: { source_key } });

/** Uses every folder of a build. */
const USE = [
  'set -e',
  'for folder in "$PWD" "$HOME" "$TMPDIR" "$XDG_CACHE_HOME"; do',
  '  test -d "$folder"; test ! -L "$folder"; mkdir "$folder/made-by-use"; rmdir "$folder/made-by-use"',
  'done',
  'pwd; echo usable',
].join('\n');

/** Returns whether this user can make files immutable here. */
function canLock(folder: string): boolean {
  const file = path.join(folder, 'locked');
  writeFileSync(file, '');
  const can = spawnSync('chattr', ['+i', file]).status === 0;
  spawnSync('chattr', ['-i', file]);
  rmSync(file);
  return can;
}

/** Starts a process that works in a folder and belongs to no Mac. */
const spawnBystander = (cwd: string) => spawn('sleep', ['600'], { cwd, env: {} });

const deeds: Record<string, string> = {
  'removes its work folder': 'rm -rf "$PWD"',
  'removes its work folder and what is above it': 'rm -rf "$PWD/.."',
  'moves its work folder beside itself': 'mv "$PWD" "$PWD/../x"',
  'moves its work folder into HOME': 'mv "$PWD" "$HOME/x"',
  'puts a file in its place': 'rm -rf "$PWD"; echo >"$PWD"',
  'puts a link in its place': 'rm -rf "$PWD"; ln -s "$OUTSIDE" "$PWD"',
  'puts a link to itself in its place': 'rm -rf "$PWD"; ln -s "$PWD" "$PWD"',
  'puts a link in place of all work folders': 'W=$(dirname "$PWD"); rm -rf "$W"; ln -s "$OUTSIDE" "$W"',
  'removes HOME': 'rm -rf "$HOME"',
  'puts a link in place of HOME': 'rm -rf "$HOME"; ln -s "$OUTSIDE" "$HOME"',
  'puts a file in place of HOME': 'rm -rf "$HOME"; echo >"$HOME"',
  'removes TMPDIR': 'rm -rf "$TMPDIR"',
  'puts a link in place of TMPDIR': 'rm -rf "$TMPDIR"; ln -s "$OUTSIDE" "$TMPDIR"',
  'removes the caches': 'rm -rf "$XDG_CACHE_HOME"',
  'puts a pipe in place of the caches': 'rm -rf "$XDG_CACHE_HOME"; mkfifo "$XDG_CACHE_HOME"',
  'takes all permissions away': 'mkdir -p a/b/c; chmod 0 a/b a "$PWD" "$HOME" "$TMPDIR" "$XDG_CACHE_HOME" "$PWD/.."',
  'puts links in place of the state folder': 'S=$PWD/../../state; rm -rf "$S"; ln -s "$OUTSIDE" "$S"',
  'locks all its folders': 'mkdir -p a/b; echo >a/b/c; chattr -R +i "$PWD" "$HOME" "$TMPDIR" "$XDG_CACHE_HOME"',
};

const sharpest = [
  'removes its work folder and what is above it',
  'moves its work folder into HOME',
  'puts a link to itself in its place',
  'puts a link in place of all work folders',
  'puts a link in place of HOME',
  'puts a pipe in place of the caches',
  'takes all permissions away',
  'puts links in place of the state folder',
  'locks all its folders',
];

t.test(
  'after a build that damages its folders, the next one has all of them, and nothing else was changed',
  async (t) => {
    const rig = await openRig(t);
    const outside = path.join(rig.dataDir, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'kept'), 'kept');
    const lockable = canLock(rig.dataDir);
    for (const [what, script] of casesOf(deeds, sharpest)) {
      if (script.includes('chattr') && !lockable) continue;
      const done = await rig.run(`OUTSIDE='${outside}'\n${script}`, of('upload:ws_1:app'));
      t.equal(done.result.reason_code === 'workspace_failed', false, `${what}: ${done.result.summary}`);
      for (const key of ['upload:ws_1:other', 'upload:ws_1:app']) {
        const next = await rig.run(USE, of(key));
        t.match(next.result, { outcome: 'exited', exit_code: 0 }, `${what}: ${next.log}`);
        t.match(next.log, /^usable$/m);
      }
      t.same(readdirSync(outside), ['kept'], what);
      const { work } = rig.driver.paths(SLOT);
      t.same(
        readdirSync(work).sort(),
        [folderNameOf('upload:ws_1:app'), folderNameOf('upload:ws_1:other')].sort(),
        what,
      );
    }
  },
);

t.test('the same for a user other than root', async (t) => {
  const folder = tempFolder(t);
  const module = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../host-agent/${name}`, import.meta.url)));
  const script = [
    `import { createLocalDriver } from ${module('driver/local.js')};`,
    `import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';`,
    `const driver = createLocalDriver({ dataDir: ${JSON.stringify(path.join(folder, 'data'))} });`,
    `await driver.create({ slot_id: 's1', image: null }, () => {});`,
    `await driver.saveRecord('s1', { rental_id: 'r', account_id: 1, generation: 1, revision: 1, xcode: null, runtimes: [], tools: [] });`,
    `const { work, state, home, tmp } = await driver.prepare('s1', 'a');`,
    `mkdirSync(work + '/a/b', { recursive: true });`,
    `for (const f of [work + '/a/b', work + '/a', work, state, home, tmp]) chmodSync(f, 0);`,
    `chmodSync(driver.paths('s1').work, 0o500);`,
    `for (const f of Object.values(await driver.prepare('s1', 'a'))) writeFileSync(f + '/new', '');`,
    `chmodSync(work + '/a', 0);`,
    `await driver.repair('s1'); await driver.prepare('s1', 'a');`,
  ].join('\n');
  const ids = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  chmodSync(folder, 0o777);
  const plainNode = ['-c', 'NODE_OPTIONS= exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { status, stderr } = spawnSync('/bin/sh', plainNode, { ...ids, encoding: 'utf8' });
  t.equal(stderr, '');
  t.equal(status, 0);
});

t.test('each source has a work folder, at the same path every time', async (t) => {
  const rig = await openRig(t);
  const begin = async (key: string, more: object = {}) => {
    const { log, result } = await rig.run('pwd; ls -A; ls -A ..; echo "$CIDERMILL_BUILD_ID" >mine', {
      spec: { source_key: key, ...more },
    });
    t.equal(result.exit_code, 0, log);
    const [pwd = '', ...names] = log.trimEnd().split('\n');
    return { pwd, names };
  };
  const keys = [
    'upload:ws_1:app',
    'upload:ws_1:App',
    'upload:ws_1:caf\u00e9',
    'upload:ws_1:cafe\u0301',
    'upload:ws_2:app',
  ];
  keys.push('upload:ws_1:../../../../etc', 'upload:ws_1:', 'upload:ws_1:a/b\nc', `upload:ws_1:${'x'.repeat(5000)}`);
  keys.push('repo:a/b', 'repo_url:https://github.com/a/b');
  const folders = new Map<string, string>();
  for (const key of keys) {
    const { pwd, names } = await begin(key);
    folders.set(key, pwd);
    t.notOk(names.includes('mine'), 'it begins empty');
    t.equal(path.dirname(pwd), rig.driver.paths(SLOT).work);
  }
  t.equal(new Set([...folders.values()].map((folder) => folder.toLowerCase())).size, keys.length, 'no two share one');
  for (const key of keys) {
    const { pwd, names } = await begin(key);
    t.equal(pwd, folders.get(key));
    t.ok(names.includes('mine'), 'what it left is there');
  }
  const git: BuildSource = { kind: 'git', url: 'https://example.com/o/r', ref: null, commit: null, pr: null };
  const older = await begin('', { source_key: undefined, source: git });
  t.equal(older.pwd, (await begin('git:https://example.com/o/r')).pwd, 'a control plane that does not name the source');

  await t.test('tools that search parent folders find nothing of another build', async (t) => {
    await rig.run('touch ../package.json ../../.swiftlint.yml; mkdir ../.git; ln -s / ../root', of('upload:ws_1:app'));
    const { log } = await rig.run('ls -A .. ../..', of('upload:ws_1:App'));
    t.notMatch(log, /package\.json|swiftlint|\.git|root/);
    t.ok(existsSync('/etc'), 'and links were not followed');
  });
  await t.test('a reset that keeps caches empties all of them', async (t) => {
    const mac = desiredMac({ slot_id: SLOT });
    await createMacChanges(rig.driver).bring({ ...mac, revision: 2, empty_work: true }, () => {});
    for (const key of keys) {
      const { pwd, names } = await begin(key);
      t.equal(pwd, folders.get(key));
      t.notOk(names.includes('mine'));
    }
  });
});

t.test('a link in place of a Mac is not a Mac, and processes behind it are not killed', async (t) => {
  const dataDir = tempFolder(t);
  const elsewhere = tempFolder(t);
  const driver = createLocalDriver({ dataDir });
  const changes = createMacChanges(driver);
  await changes.bring(desiredMac({ slot_id: SLOT }), () => {});
  const folder = path.join(dataDir, 'macs', SLOT);
  for (const name of readdirSync(folder)) {
    if (name === 'mac.json') writeFileSync(path.join(elsewhere, name), readFileSync(path.join(folder, name)));
    else mkdirSync(path.join(elsewhere, name));
  }
  writeFileSync(path.join(elsewhere, 'work', 'kept'), '');
  rmSync(folder, { recursive: true });
  symlinkSync(elsewhere, folder);
  const bystander = spawnBystander(elsewhere);
  driver.claimSlots([SLOT]);
  t.match(await driver.listMacs(), [{ slot_id: SLOT, record: null }], 'the service names it');
  await t.rejects(driver.prepare(SLOT, 'a'), { message: 'there is no Mac in this slot' });
  t.same(await driver.workFolders(SLOT), []);
  await driver.removeWorkFolder(SLOT, folderNameOf('a'));
  await driver.repair(SLOT);
  t.ok(existsSync(path.join(elsewhere, 'work', 'kept')));
  await changes.bring(desiredMac({ slot_id: SLOT, revision: 2 }), () => {});
  t.ok(lstatSync(folder).isDirectory());
  t.ok(existsSync(path.join(elsewhere, 'work', 'kept')));
  t.equal(bystander.exitCode ?? bystander.signalCode, null, 'it still runs');
  bystander.kill('SIGKILL');

  const record = path.join(folder, 'mac.json');
  const spoils = [() => mkdirSync(record), () => symlinkSync(record, record), () => writeFileSync(record, '{')];
  for (const [index, spoil] of spoils.entries()) {
    rmSync(record);
    spoil();
    t.match(await driver.listMacs(), [{ slot_id: SLOT, record: null }], 'its record must be a file that can be read');
    await changes.bring(desiredMac({ slot_id: SLOT, revision: 3 + index }), () => {});
    t.match(await driver.listMacs(), [{ record: { revision: 3 + index } }]);
  }
});

t.test('nothing is deleted through a link in place of the folder of all Macs', async (t) => {
  const { driver, dataDir } = await openRig(t);
  const changes = createMacChanges(driver);
  const macs = path.join(dataDir, 'macs');
  const precious = () => {
    const elsewhere = tempFolder(t);
    mkdirSync(path.join(elsewhere, 'photos'));
    mkdirSync(path.join(elsewhere, SLOT, 'work'), { recursive: true });
    for (const folder of ['photos', SLOT, `${SLOT}/work`]) writeFileSync(path.join(elsewhere, folder, 'kept'), '');
    rmSync(macs, { recursive: true, force: true });
    symlinkSync(elsewhere, macs);
    return () => {
      for (const folder of ['photos', SLOT, `${SLOT}/work`]) {
        if (!existsSync(path.join(elsewhere, folder, 'kept'))) return `${folder} is gone`;
      }
      return readdirSync(elsewhere).length === 2 ? 'as it was' : 'something was added';
    };
  };
  const tries: Record<string, () => Promise<unknown>> = {
    held: async () => t.same(await driver.listMacs(), [], 'no Macs'),
    remove: () => driver.remove(SLOT),
    removeAll: async () => {
      for (const { slot_id } of await driver.listMacs()) await driver.remove(slot_id);
    },
    emptyWork: () => driver.emptyWork(SLOT),
    repair: () => driver.repair(SLOT),
    discardRecord: () => driver.discardRecord(SLOT),
    workFolders: () => driver.workFolders(SLOT),
    prepare: () => t.rejects(driver.prepare(SLOT, 'a'), { message: 'there is no Mac in this slot' }),
    create: () => changes.bring(desiredMac({ slot_id: SLOT, revision: 2 }), () => {}),
  };
  for (const [name, act] of Object.entries(tries)) {
    const state = precious();
    await act();
    t.equal(state(), 'as it was', name);
  }
  t.ok(lstatSync(macs).isDirectory());
  t.match(await driver.listMacs(), [{ slot_id: SLOT, record: { revision: 2 } }]);
});

t.test('nothing is deleted through a link in place of the folders of builds and caches', async (t) => {
  const dataDir = tempFolder(t);
  const elsewhere = tempFolder(t);
  for (const name of ['.ssh', '7']) mkdirSync(path.join(elsewhere, name));
  for (const name of ['builds', 'cache']) symlinkSync(elsewhere, path.join(dataDir, name));
  const builds = openBuildsFolder(dataDir, { clock: systemClock, unfinishedMs: 0 });
  t.same(await builds.attempts(), []);
  await dropAccountCaches(dataDir, new Set());
  t.same(readdirSync(elsewhere).sort(), ['.ssh', '7']);
  t.ok(lstatSync(builds.folder).isDirectory());
});

t.test('a stopped build does not wait for the deletion of its work folder', async (t) => {
  const rig = await openRig(t);
  const { work } = rig.driver.paths(SLOT);
  mkdirSync(path.join(work, 'left'));
  for (let n = 0; n < 2_000; n++) writeFileSync(path.join(work, 'left', String(n)), '');
  const stop = new AbortController();
  const prepared = rig.driver.prepare(SLOT, 'a', stop.signal);
  stop.abort(new Error('stopped'));
  await t.rejects(prepared, { message: 'stopped' });
  await rig.driver.prepare(SLOT, 'a');
  t.same(readdirSync(work), [folderNameOf('a')], 'the next one goes on where it ended');
});

t.test('a repaired Mac has empty folders, and keeps home and caches', async (t) => {
  const rig = await openRig(t);
  const key = of('upload:ws_1:app');
  await rig.run('touch left "$TMPDIR/left" "$HOME/kept" "$XDG_CACHE_HOME/kept"; chmod 0 "$HOME"', key);
  const held = await rig.driver.listMacs();
  await rig.driver.repair(SLOT);
  t.same(await rig.driver.listMacs(), held, "the Mac's record stays");
  const { log } = await rig.run('ls -A . "$TMPDIR"; ls "$HOME" "$XDG_CACHE_HOME"', key);
  t.notMatch(log, 'left');
  t.equal(log.match(/^kept$/gm)?.length, 2);
});

t.test('the least recently used work folders are deleted when the disk runs low', async (t) => {
  const at = (slotId: string, name: string, usedAt: number) => ({ slotId, name, usedAt });
  t.equal(leastRecentlyUsed([], new Set()), null);
  t.match(leastRecentlyUsed([at('s1', 'b', 2), at('s2', 'a', 1)], new Set()), { name: 'a' });
  t.match(leastRecentlyUsed([at('s1', 'b', 2), at('s2', 'a', 1)], new Set(['a'])), { name: 'b' });

  const rig = await openRig(t);
  const keys = ['old', 'middle', 'new'];
  for (const key of keys) await rig.run('touch product', of(key));
  const left = async (driver: MacDriver) => {
    const names = new Set((await driver.workFolders(SLOT)).map(({ name }) => name));
    return keys.filter((key) => names.has(folderNameOf(key)));
  };
  await rig.run('true', of('old'));
  t.same(await left(rig.driver), keys, 'there is room');

  /** Simulates a disk of 30 bytes on which each folder takes 10. */
  const smallDisk: LocalDriver = {
    ...rig.driver,
    freeBytes: async () => 30 - 10 * (await rig.driver.workFolders(SLOT)).length,
  };
  const small: Rig = await openRig(t, { dataDir: rig.dataDir, driver: smallDisk });
  await small.run('true', { ...of('new'), limits: { diskReserveBytes: 10 } });
  t.same(await left(rig.driver), ['old', 'new'], 'the least recently used one is deleted');
  await small.run('true', { ...of('new'), limits: { diskReserveBytes: 30 } });
  t.same(await left(rig.driver), ['new'], "never the build's own one");

  const asked: string[] = [];
  const removed = await freeDisk(smallDisk, {
    slots: [SLOT],
    keep: new Set(),
    reserveBytes: 30,
    remove: async ({ name }) => {
      asked.push(name);
      return false;
    },
  });
  t.same([removed, asked], [0, [folderNameOf('new')]], 'one that is in use stays');

  await rig.run('true', of('old'));
  const checkout = await small.run('true', {
    ...of('new'),
    limits: { diskReserveBytes: 0 },
    async checkOutSources({ dropOthers }) {
      t.equal(await dropOthers(), 1, 'also when the disk is full during checkout');
      return { commit: null };
    },
  });
  t.equal(checkout.result.exit_code, 0);
  t.same(await left(rig.driver), ['new']);
  t.ok(systemClock.now() - ((await rig.driver.workFolders(SLOT))[0]?.usedAt ?? 0) < 600_000);
});
