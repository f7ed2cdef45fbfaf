// Folders, sources, script and artifacts in one guest of the stand-in, as its unprivileged user, over `tart exec`.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createTart } from '../../../host-agent/driver/tart/tart.js';
import { collect } from '../../../host-agent/guest/artifacts/collect.js';
import { prepareGuestFolders, removeGuestRun, removeInGuest } from '../../../host-agent/guest/folders.js';
import { runInGuest } from '../../../host-agent/guest/run.js';
import { openGuestScript } from '../../../host-agent/guest/script.js';
import { deliver } from '../../../host-agent/guest/sources/deliver.js';
import { defaultVmLimits } from '../../../host-agent/limits.js';
import { until } from '../../harness/until.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { tempFolder } from '../runner/rig.js';

const image = 'ghcr.io/acme/macos:26';
const root = '/Users/Shared/cidermill';
const source = 'aaaaaaaaaaaaaaaa';

t.test('a build in a guest where files of earlier builds can only be deleted with sudo', async (t) => {
  const host = await openTartHost(t, { images: { [image]: {} } });
  const folder = tempFolder(t);
  const limits = () => defaultVmLimits;
  const tool = createTart({
    path: host.path,
    home: host.home,
    pullConcurrency: 4,
    env: host.env,
    limits,
    outputDir: path.join(folder, 'output'),
  });
  await host.tart('clone', image, 'vm1');
  await host.boot('vm1');
  const transport = tool.execTransport('vm1')!;
  const options = { timeoutMs: 60_000, signal: new AbortController().signal };
  const sh = async (script: string) => {
    const ran = await runInGuest(transport, ['/bin/sh', '-c', script], options);
    if (ran.status !== 0) throw new Error(`${script}: ${ran.stderr}`);
    return ran.stdout.toString().trim();
  };
  await until(
    () =>
      sh('id -u').then(
        (user) => user === '501',
        () => false,
      ),
    'the guest answers',
  );
  const [from, stateFile] = [path.join(folder, 'sources'), path.join(folder, 'delivered')];
  mkdirSync(path.join(from, 'src'), { recursive: true });
  writeFileSync(path.join(from, 'src/main.c'), 'int main;');
  writeFileSync(path.join(from, 'run.sh'), '#!/bin/sh\necho ran > "$CIDERMILL_ARTIFACTS/out.txt"\n', {
    mode: 0o755,
  });

  const build = async (run: string, script: string) => {
    const folders = await prepareGuestFolders(transport, root, { source, run, now: 1000 }, options);
    const { work: to, state } = folders;
    const delivery = { from, to, state, stateFile, clean: false };
    const delivered = await deliver(transport, delivery, { ...options, say: () => undefined });
    let output = '';
    const opened = openGuestScript(transport, {
      script,
      file: folders.script,
      cwd: to,
      shell: null,
      columns: 80,
      rows: 24,
      mark: `CIDERMILL_ARTIFACTS=${folders.artifacts}`,
      env: { CIDERMILL_ARTIFACTS: folders.artifacts, TMPDIR: folders.tmp },
      variables: {},
      files: {},
      secrets: `${folders.artifacts}-secrets`,
      onOutput: (bytes) => {
        output += bytes.toString();
      },
    });
    opened.begin();
    const end = await opened.ended;
    await opened.signal('SIGKILL');
    await opened.close();
    const incoming = path.join(folder, run);
    const collected = await collect(
      transport,
      { from: folders.artifacts, to: incoming },
      { ...options, maxBytes: 1e6, maxBundleBytes: 1e6, maxEntries: 1000, maxDepth: 20 },
    );
    await removeGuestRun(transport, root, run, options);
    return { ...end, delivered, output, collected, incoming, folders };
  };

  const first = await build('rb_1.1', 'sh ./run.sh; id -u; tty <&1; echo "$PWD"; stat -f %Su run.sh');
  t.match(first, { exitCode: 0, complete: true, left: 0, delivered: { sent: 3, startedOver: true } });
  t.match(first.output, /^501\r?\n\/dev\/\S+\n\/Users\/Shared\/cidermill\/work\/a{16}\nadmin\n$/);
  t.equal(readFileSync(path.join(first.incoming, 'out.txt'), 'utf8'), 'ran\n');

  const second = await build(
    'rb_2.1',
    `sudo mkdir -p src/made/by && sudo touch src/made/by/root && sudo chown -R root src . "$TMPDIR"
     sudo chmod 700 src "$TMPDIR"; mkdir -p "$CIDERMILL_ARTIFACTS/locked"; echo x > "$CIDERMILL_ARTIFACTS/locked/a"
     sudo chown -R root "$CIDERMILL_ARTIFACTS/locked"; sudo chmod 700 "$CIDERMILL_ARTIFACTS/locked"
     setsid sleep 600 & sleep 600 & exit 4`,
  );
  t.match(second, { exitCode: 4, delivered: { sent: 0 }, collected: { leftOut: [] } });
  t.equal(readFileSync(path.join(second.incoming, 'locked/a'), 'utf8'), 'x\n', 'artifacts of root are fetched');
  writeFileSync(path.join(from, 'src/main.c'), 'int changed;');
  const third = await build('rb_3.1', 'cat src/main.c; ls src; touch "$TMPDIR/x" made-here; pgrep sleep || echo none');
  t.match(third, { exitCode: 0, delivered: { startedOver: false } });
  t.match(third.output, /^int changed;made +main\.c\n/);
  t.match(third.output, /none\n$/, 'no process of the build before');
  t.same(readdirSync(host.guestFile('vm1', `${root.slice(1)}/run`)), []);
  await sh(`sudo mkdir -p ${root}/work/x && sudo chmod 0 ${root}/work`);
  await removeInGuest(transport, root, options);
  t.notOk(existsSync(host.guestFile('vm1', root.slice(1))));
});
