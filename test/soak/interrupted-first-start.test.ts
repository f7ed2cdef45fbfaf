// `cidermill dev` is interrupted before it was ready for the first time, as people do who do not want to wait for an
// image, or is killed and started again while its control plane still ends.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { cidermill } from '../harness/cli.js';
import { until } from '../harness/until.js';

const bin = new URL('../../client/bin.cjs', import.meta.url).pathname;

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  t.test(`the next start goes on with the account of one ended by ${signal}`, async (t) => {
    const root = mkdtempSync(join(tmpdir(), 'cidermill-interrupted-'));
    t.teardown(() => rmSync(root, { recursive: true, force: true }));
    const data = join(root, 'data');
    const account = join(data, 'dev-account.json');
    const first = spawn(process.execPath, [bin, 'dev', '--data', data, '--port', '0', '--macs', '1'], {
      stdio: 'ignore',
      env: { ...process.env, CIDERMILL_LOG_LEVEL: 'silent' },
    });
    const ended = new Promise((resolve) => first.once('exit', resolve));
    await until(() => existsSync(account), 'the account exists');
    first.kill(signal);
    await ended;
    t.notOk(existsSync(join(data, 'dev.json')), 'it was not ready');
    t.equal(statSync(account).mode & 0o777, 0o600, 'it has keys');
    const { api_key, org_id } = JSON.parse(readFileSync(account, 'utf8'));

    const service = await startService({}, ['--macs', '1'], data);
    t.teardown(() => service.stop());
    const dev = JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8'));
    t.match(dev, { api_key, org_id });
    t.notOk('macs_rented' in dev);
    t.notOk(readdirSync(data).includes('dev-account.json'));
    const orgs = await cidermill(process.env, root, 'admin', 'org', 'list', '--data', data);
    t.equal(orgs.stdout.trim().split('\n').length, 1, 'no second account');
    const ran = await cidermill(service.env, root, 'builds', '--json');
    t.equal(ran.code, 0, ran.stderr);
    const macs = await cidermill(service.env, root, 'macs', '--json');
    t.match(macs.stdout, /"name": ?"Mac 1"/, 'it has its Mac');
  });
}

t.test('a killed service is started again while its control plane still ends', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cidermill-interrupted-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  const data = join(root, 'data');
  const first = await startService({}, ['--macs', '1'], data);
  const { control_plane: orphan } = first.pids;
  if (orphan === null) throw new Error('no control plane');
  const { pid: dev } = JSON.parse(readFileSync(join(data, 'dev.lock.json'), 'utf8'));
  process.kill(orphan, 'SIGSTOP');
  process.kill(dev, 'SIGKILL');
  await first.stop({ keepData: true });
  const again = startService({}, ['--macs', '1'], data);
  await until(() => readLockOwner(join(data, 'dev.lock.json')) !== dev, 'the second one has begun');
  t.equal(readLockOwner(join(data, 'service.lock.json')), orphan, 'the first control plane has the folder');
  process.kill(orphan, 'SIGCONT');
  const service = await again;
  t.teardown(() => service.stop());
  t.not(service.pids.control_plane, orphan);
  const macs = await cidermill(service.env, root, 'macs', '--json');
  t.match(macs.stdout, /"name": ?"Mac 1"/);
});

function readLockOwner(file: string): number | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).pid;
  } catch {
    return null;
  }
}
