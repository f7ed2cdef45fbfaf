// The suite that every driver passes.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { createMacChanges } from '../../../host-agent/daemon/macs/change.js';
import { type BuildProcesses, type MacDriver, NotInstalledError } from '../../../host-agent/driver/driver.js';
import { type DesiredMac, inventory } from '../../../shared/protocol/index.js';
import { desiredMac } from '../../harness/desired-mac.js';
import { until } from '../../harness/until.js';
import { tempFolder } from '../runner/rig.js';
import type { DriverHost, OpenHost } from './driver-hosts.js';

const bring = (driver: MacDriver, want: DesiredMac) => createMacChanges(driver).bring(want, () => {});
const wanted = (host: DriverHost, given: Partial<DesiredMac> = {}) =>
  desiredMac({ slot_id: 's1', account_id: 7, ...host.model, ...given });

/** Detached, with neither terminal nor pipes of its starter. */
const background = (command: string) => `(nohup ${command} >/dev/null 2>&1 </dev/null &)`;
/** A sleep that no other test starts. */
const newSleep = () => `sleep ${4000 + Math.floor(Math.random() * 1000)}.${randomBytes(3).readUIntBE(0, 3)}1`;

type Scenario = (t: Test, open: OpenHost) => Promise<void>;

/** What every driver does, by name. Each opens a host without Macs. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  makesAndFinds,
  leavesNothing,
  keepsWork,
  refusesSoftware,
  refusesNames,
  changesInTurn,
  findsProcesses,
  builds,
};

async function makesAndFinds(t: Test, open: OpenHost): Promise<void> {
  await t.test('a Mac is created, listed by every later agent, and removed without a trace', async (t) => {
    const host = await open(t);
    const driver = host.open();
    t.same(await driver.listMacs(), []);
    t.ok(inventory.safeParse(await driver.inventory()).success);
    t.equal((await driver.inventory()).driver, driver.kind);
    t.equal(driver.spec.kind, driver.kind);
    await driver.remove('s1');
    t.same(await driver.listMacs(), [], 'removing what is not there is harmless');

    await bring(driver, wanted(host));
    const held = await driver.listMacs();
    t.match(held, [
      {
        slot_id: 's1',
        record: {
          rental_id: 'rt_1',
          account_id: 7,
          generation: 1,
          revision: 1,
          xcode: null,
          runtimes: [],
          tools: [],
        },
      },
    ]);
    t.notOk(held[0]?.stopped);
    const marker = await host.sh(driver, 's1', 'cd && echo made >marker && cat marker');
    t.equal(marker, 'made\n');
    const later = host.open();
    t.same(await later.listMacs(), held, 'found by another agent');
    await bring(later, wanted(host));
    t.equal(await host.sh(later, 's1', 'cat ~/marker'), 'made\n', 'nothing has changed');
    t.ok((await later.freeBytes()) > 0);

    await later.discardRecord('s1');
    t.same(await driver.listMacs(), [{ slot_id: 's1', record: null }], 'without its record it is not complete');
    await later.remove('s1');
    await later.remove('s1');
    t.same(await later.listMacs(), []);
    t.same(await host.traces(), []);
  });
}

async function leavesNothing(t: Test, open: OpenHost): Promise<void> {
  await t.test('a new generation or rental removes all files and processes of the previous one', async (t) => {
    const host = await open(t);
    const driver = host.open();
    let want = wanted(host);
    await bring(driver, want);
    for (const change of host.kind === 'local' ? [{ generation: 2 }, { rental_id: 'rt_2' }] : [{ rental_id: 'rt_2' }]) {
      const sleep = newSleep();
      const { work } = host.folders(driver, 's1');
      const plant = `mkdir -p '${work}/a/none' ~/b && cd '${work}/a' && echo x >f && ln -s / up && mkfifo pipe && ln -s nowhere dangling
        echo secret >~/b/c; chmod 0 none; chmod 0500 .; ${background(sleep)}; cd / && trap '' TERM && ${background(`sh -c 'trap "" TERM; ${sleep}; true'`)}`;
      await host.sh(driver, 's1', plant);
      want = { ...want, ...change };
      await bring(driver, want);
      t.match(await driver.listMacs(), [{ record: change }]);
      t.equal(await host.sh(driver, 's1', `ls -d '${work}/a' ~/b 2>/dev/null; true`), '', 'no file');
      t.notMatch(await host.sh(driver, 's1', 'ps -axo command='), sleep, 'no process');
    }
  });
}

async function keepsWork(t: Test, open: OpenHost): Promise<void> {
  await t.test('emptying ends all processes, deletes all work folders, and keeps caches and the Mac', async (t) => {
    const host = await open(t);
    const driver = host.open();
    await bring(driver, wanted(host));
    const held = await driver.listMacs();
    const { work, cache } = host.folders(driver, 's1');
    const sleep = newSleep();
    const plant = `mkdir -p '${work}/a/b' '${cache}/app'; echo x >'${work}/a/b/c'; ln -s ~ '${work}/link'; chmod 0500 '${work}/a/b'; echo x >'${cache}/app/f'`;
    await host.sh(driver, 's1', `${plant}; ${background(sleep)}`);
    t.match(await host.sh(driver, 's1', 'ps -axo command='), sleep);
    await driver.emptyWork('s1');
    t.equal(await host.sh(driver, 's1', `ls -A '${work}' 2>/dev/null; true`), '');
    t.equal(await host.sh(driver, 's1', `cat '${cache}/app/f'`), 'x\n');
    t.notMatch(await host.sh(driver, 's1', 'ps -axo command='), sleep);
    t.same(await driver.listMacs(), held, 'the record stays');
    t.same(await driver.workFolders('s1'), []);

    const through = `rm -rf '${work}'; mkdir -p "$(dirname '${work}')"; ln -s '${cache}' '${work}'`;
    await host.sh(driver, 's1', `cd; ${through}`);
    await driver.emptyWork('s1');
    t.equal(await host.sh(driver, 's1', `cat '${cache}/app/f'`), 'x\n', 'not even through a link');
    t.equal(await host.sh(driver, 's1', `ls -A '${work}' 2>/dev/null; true`), '');
    t.same(await driver.listMacs(), held);
  });
}

async function refusesSoftware(t: Test, open: OpenHost): Promise<void> {
  await t.test('an installed Xcode is selected; a missing one is refused before anything changes', async (t) => {
    const host = await open(t);
    const driver = host.open();
    await t.rejects(bring(driver, wanted(host, { xcode: '99.99' })), { message: /99\.99/ });
    await bring(driver, wanted(host));
    const held = await driver.listMacs();
    await t.rejects(driver.selectXcode('s1', '99.99'), NotInstalledError);
    await t.rejects(
      driver.installRuntime('s1', 'no such runtime', () => {}),
      NotInstalledError,
    );
    await t.rejects(
      driver.installTool('s1', 'no-such-tool-4327', () => {}),
      NotInstalledError,
    );
    t.same(await driver.listMacs(), held);
    for (const xcode of [...host.xcodes].reverse()) {
      await bring(driver, wanted(host, { xcode, revision: 2 + host.xcodes.indexOf(xcode) }));
      t.match(await driver.listMacs(), [{ record: { xcode } }]);
      t.match(await host.sh(driver, 's1', 'xcodebuild -version'), `Xcode ${xcode}\n`);
    }
  });
}

async function refusesNames(t: Test, open: OpenHost): Promise<void> {
  await t.test('a slot id that is not a valid folder name is refused', async (t) => {
    const host = await open(t);
    const driver = host.open();
    for (const slot of ['', '.', '..', 'a/b', '../s1', 'a\0b', '-rf', 'x'.repeat(300)]) {
      await t.rejects(driver.remove(slot), RangeError, JSON.stringify(slot));
      await t.rejects(bring(driver, wanted(host, { slot_id: slot })), RangeError, JSON.stringify(slot));
    }
    t.same(await host.traces(), []);
  });
}

async function changesInTurn(t: Test, open: OpenHost): Promise<void> {
  await t.test('changes of one slot run one at a time; two slots are independent', async (t) => {
    const host = await open(t);
    const driver = host.open();
    const changes = createMacChanges(driver);
    const pending: Promise<void>[] = [];
    const count = host.kind === 'local' ? 6 : 1;
    for (let generation = 1; generation <= count; generation++) {
      pending.push(changes.bring(wanted(host, { generation }), () => {}));
      if (generation % 2 === 0) pending.push(changes.remove('s1'));
    }
    pending.push(changes.bring(wanted(host, { generation: 9 }), () => {}));
    pending.push(changes.bring(wanted(host, { slot_id: 's2', rental_id: 'rt_2' }), () => {}));
    await Promise.all(pending);
    t.match(await driver.listMacs(), [
      { slot_id: 's1', record: { generation: 9 } },
      { slot_id: 's2', record: { rental_id: 'rt_2' } },
    ]);
  });
}

async function findsProcesses(t: Test, open: OpenHost): Promise<void> {
  await t.test('the processes of one build are distinguished from all others', async (t) => {
    const host = await open(t);
    const driver = host.open();
    await bring(driver, wanted(host));
    const build = (): BuildProcesses => ({
      mark: `CIDERMILL_TEST=${randomBytes(8).toString('hex')}`,
      session: null,
    });
    const env = ({ mark }: BuildProcesses) => ({ CIDERMILL_TEST: mark.split('=')[1] ?? '' });
    const [mine, other] = [build(), build()];
    const sleep = newSleep();
    const another = newSleep();
    const alone = `perl -e 'use POSIX; fork and exit; POSIX::setsid(); exec qw(${sleep})'`;
    const pair = `${sleep} & ${sleep}; true`;
    await host.sh(
      driver,
      's1',
      `${background(sleep)}; ${background(alone)}; ${background(`sh -c '${pair}'`)}`,
      env(mine),
    );
    await host.sh(driver, 's1', background(`perl -e '$SIG{TERM} = "IGNORE"; exec qw(${another})'`), env(other));
    // Shells and perls that are about to exec or to exit are processes of the build too: wait until none is left.
    const settled = [`sh -c ${pair}`, sleep, sleep, sleep, sleep, another].sort();
    const running = async () => {
      const lines = (await host.sh(driver, 's1', 'ps -axo command=')).split('\n').map((line) => line.trim());
      return lines.filter((line) => line.includes(sleep) || line.includes(another)).sort();
    };
    await until(async () => (await running()).join() === settled.join(), 'all processes of the build run');
    t.equal(await driver.signal('s1', mine, 0), 5);
    t.equal(await driver.signal('s1', other, 0), 1);
    t.equal(await driver.signal('s1', mine, 'SIGTERM'), 5);
    await until(async () => (await driver.signal('s1', mine, 0)) === 0, 'they have ended');
    t.equal(await driver.signal('s1', other, 'SIGTERM'), 1, 'the other build is not affected');
    t.equal(await driver.signal('s1', other, 'SIGKILL'), 1, 'this one ignores SIGTERM');
    await until(async () => (await driver.signal('s1', other, 0)) === 0, 'SIGKILL is not ignored');
  });
}

async function builds(t: Test, open: OpenHost): Promise<void> {
  await t.test('a build gets its sources, keeps its files, and returns its exit code and artifacts', async (t) => {
    const host = await open(t);
    const driver = host.open();
    await bring(driver, wanted(host));
    const { signal } = new AbortController();
    let attempt = 0;

    /** Runs a build of the same source, after `change` has changed what is checked out. */
    const build = async (script: string, change: (sources: string) => void, clean = false) => {
      attempt++;
      const mac = host.buildMac(driver, 's1', { build_id: 'rb_1', attempt });
      const paths = await mac.prepare('upload:ws_1:app', signal);
      change(paths.sources);
      await mac.deliver(paths, { clean, say: () => {}, signal });
      const output: Buffer[] = [];
      const opened = mac.openScript({
        script,
        paths,
        columns: 80,
        rows: 24,
        env: { CIDERMILL_ARTIFACTS: paths.artifacts },
        variables: { TOKEN: 'geheim' },
        files: {},
        onInputEnded: () => {},
        onOutput: (bytes) => void output.push(Buffer.from(bytes)),
      });
      opened.begin();
      await opened.begun;
      const { exitCode, complete } = await opened.ended;
      t.ok(complete, 'all of its output was read');
      opened.release();
      await opened.signal('SIGKILL');
      await until(async () => (await opened.signal(0)) === 0, 'nothing of it is left');
      await opened.close();
      const to = path.join(tempFolder(t), 'artifacts');
      const { folder } = await mac.collect(paths, to, { maxBytes: 1e6, maxEntries: 1000, signal });
      const artifacts = readdirSync(folder).map((name) => `${name}: ${readFileSync(path.join(folder, name), 'utf8')}`);
      await mac.removeFiles(signal);
      return { exitCode, output: Buffer.concat(output).toString().replaceAll('\r', ''), artifacts, paths };
    };

    const sleep = newSleep();
    const first = await build(
      `echo "$TOKEN"; ./run.sh; cat data/link; echo made >product; echo hello >"$CIDERMILL_ARTIFACTS/out.txt"; ${background(sleep)}; exit 7`,
      (sources) => {
        mkdirSync(path.join(sources, 'data'), { recursive: true });
        writeFileSync(path.join(sources, 'run.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
        writeFileSync(path.join(sources, 'data/a'), 'a\n');
        symlinkSync('a', path.join(sources, 'data/link'));
      },
    );
    t.match(first, { exitCode: 7, output: /^geheim\nran\na\n$/, artifacts: ['out.txt: hello\n'] });
    t.notMatch(await host.sh(driver, 's1', 'ps -axo command='), sleep, 'what it left was ended');
    const second = await build('pwd; cat product data/b; ls -1 data', (sources) => {
      writeFileSync(path.join(sources, 'data/b'), 'b\n');
      rmSync(path.join(sources, 'data/a'));
    });
    t.match(second, { exitCode: 0, output: `${first.paths.work}\nmade\nb\nb\nlink\n`, artifacts: [] });
    t.match(await build('kill -9 $$', () => {}), { exitCode: 137 });
    t.match(await driver.workFolders('s1'), [{ name: path.basename(first.paths.work) }]);
  });
}
