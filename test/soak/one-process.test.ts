// A second service on the data folder or the port of a running one prints one line, exits, and changes nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { startService } from '../../bench/service.js';
import { createControlPlane } from '../../control-plane/index.js';
import { openSqlite } from '../../control-plane/platform/store/sqlite.js';
import { cidermill } from '../harness/cli.js';

const log = pino({ level: 'silent' });
const main = new URL('../../control-plane/main.js', import.meta.url).pathname;

function folder(t: Test): string {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-one-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

t.test('a second process next to a running service', async (t) => {
  const root = folder(t);
  const data = join(root, 'data');
  const service = await startService({}, [], data);
  t.teardown(() => service.stop());
  const files = () => ['dev.json', 'host/agent.json', 'host/credential.json'].map((name) => read(name));
  const read = (name: string) => readFileSync(join(data, name), 'utf8');
  const before = files();
  const port = new URL(service.site_url).port;

  await t.test('a second start of either command is refused, on the same port and on another', async (t) => {
    for (const second of [port, '0']) {
      const ran = await cidermill(process.env, root, 'dev', '--data', data, '--port', second);
      t.equal(ran.code, 78);
      t.match(ran.stderr, /^cidermill dev: \S+ is in use by process \d+ at http:\/\/127\.0\.0\.1:\d+\n$/);
      t.ok(ran.stderr.includes(service.site_url), 'it says where the other one is');
      t.equal(ran.stdout, '');
    }
    const env = { ...process.env, CIDERMILL_DATA: data, CIDERMILL_PORT: '0' };
    const plain = await run(env);
    t.equal(plain.code, 78);
    t.equal(
      plain.stderr,
      `cidermill: ${data} is in use by process ${service.pids.control_plane} at ${service.site_url}\n`,
    );
    t.same(files(), before, 'nothing was written');
  });

  await t.test('a start with another folder on the same port is refused', async (t) => {
    const ran = await cidermill(process.env, root, 'dev', '--data', join(root, 'other'), '--port', port);
    t.equal(ran.code, 78);
    t.equal(ran.stderr, `cidermill: cannot listen on 127.0.0.1:${port}: another program listens there\n`);
  });

  await t.test('the first continues to run builds, and admin commands work', async (t) => {
    const built = await cidermill(service.env, root, 'build', '--dir', '.', '--script', 'echo fine');
    t.equal(built.code, 0, built.stderr);
    const listed = await cidermill(process.env, root, 'admin', 'tier', 'list', '--data', data);
    t.equal(listed.code, 0, listed.stderr);
  });
});

t.test('an unusable folder is one line and exit code 78', async (t) => {
  const root = folder(t);
  const data = join(root, 'file');
  writeFileSync(data, '');
  const plain = await run({ ...process.env, CIDERMILL_DATA: data, CIDERMILL_PORT: '0' });
  t.equal(plain.stderr, `cidermill: cannot use the data folder ${data}: it is not a folder\n`);
  t.equal(plain.code, 78);
  const dev = await cidermill(process.env, root, 'dev', '--data', data, '--port', '0');
  t.equal(dev.stderr, `cidermill dev: cannot use the data folder ${data}: it is not a folder\n`);
  t.equal(dev.code, 78);
});

t.test('an unusable database or key file is one line, also under cidermill dev', async (t) => {
  const data = join(folder(t), 'data');
  const env = { CIDERMILL_DATA: data, CIDERMILL_PORT: '0' };
  await (await createControlPlane({ env, log })).stop();
  const refused = async (line: RegExp) => {
    await t.rejects(createControlPlane({ env, log }), { name: 'StartError', message: line });
    const dev = await cidermill(process.env, tmpdir(), 'dev', '--data', data, '--port', '0');
    t.equal(dev.code, 78);
    t.match(dev.stderr, line);
    t.equal(dev.stderr.trim().split('\n').length, 1, dev.stderr);
  };
  const keyFile = join(data, 'secret.key');
  const keys = readFileSync(keyFile);
  writeFileSync(keyFile, 'nonsense\n');
  await refused(/line 1 of the key file .* is not a key/);
  writeFileSync(keyFile, keys);

  const store = openSqlite(join(data, 'cidermill.db'));
  await store.run("INSERT INTO migrations (id, name, applied_at) VALUES (9999, 'later', 0)");
  await store.close();
  await refused(/the database is at migration 9999/);
  writeFileSync(join(data, 'cidermill.db'), 'this is no database, and long enough to be looked at. '.repeat(20));
  await refused(/cannot use the data folder .*: cidermill\.db in it is not a database/);
});

t.test('the library locks the folder too, and leaves nothing open when it cannot start', async (t) => {
  const data = join(folder(t), 'data');
  const env = { CIDERMILL_DATA: data, CIDERMILL_PORT: '0' };
  const first = await createControlPlane({ env, log });
  await t.rejects(createControlPlane({ env, log }), {
    name: 'StartError',
    message: `${data} is in use by process ${process.pid} at ${first.siteUrl}`,
  });
  const port = new URL(first.siteUrl).port;
  const elsewhere = { CIDERMILL_DATA: join(folder(t), 'data'), CIDERMILL_PORT: port };
  await t.rejects(createControlPlane({ env: elsewhere, log }), { message: /another program listens there/ });
  t.notOk(existsSync(join(elsewhere.CIDERMILL_DATA, 'cidermill.db')), 'without a port no database, and no worker');
  t.equal((await fetch(`${first.siteUrl}/readyz`)).status, 200);
  await first.stop();
  await (await createControlPlane({ env: elsewhere, log })).stop();
  await (await createControlPlane({ env, log })).stop();
});

async function run(env: NodeJS.ProcessEnv): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}
