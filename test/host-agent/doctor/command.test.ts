// The command `host-agent doctor`: its findings, its report and its exit code.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import t from 'tap';
import { bin } from '../../../bench/service.js';
import { checkDriver, checkRuntimes, checkService } from '../../../host-agent/doctor/checks.js';
import { findingLine, stepLine } from '../../../host-agent/doctor/report.js';
import { createLocalDriver } from '../../../host-agent/driver/local.js';
import { VmToolError } from '../../../host-agent/driver/vm/tool.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { tempFolder } from '../runner/rig.js';

const doctor = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, [bin, 'host-agent', 'doctor', ...args], { env }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

t.test('doctor with tart installed, and without it', async (t) => {
  const host = await openTartHost(t);
  const data = join(tempFolder(t), 'not-enrolled');
  const well = await doctor(host.env, '--data', data, '--driver', 'tart');
  t.match(well, { code: 0, stdout: /^ok {4}tart: \d+\.\d+\.\d+$/m });
  t.match(well.stdout, /virtual machines: none runs/);
  const missing = await doctor({ PATH: '/usr/bin:/bin' }, '--data', data, '--driver', 'tart', '--json');
  t.equal(missing.code, 1);
  const report = JSON.parse(missing.stdout);
  t.match(report, { driver: 'tart', ok: false, trial: null });
  t.match(report.findings, [
    { name: 'driver' },
    { name: 'tart', ok: false, fix: /Install it/ },
    { name: 'disk' },
  ]);
  const withoutImage = await doctor(host.env, '--data', data, '--driver', 'tart', '--try');
  t.match(withoutImage, { code: 78, stderr: /needs --image/ });
  t.match(await doctor(host.env, '--data', data, '--driver', 'vmware'), {
    code: 64,
    stderr: /Allowed choices/,
  });
});

t.test('findings about the driver', async (t) => {
  const dataDir = tempFolder(t);
  mkdirSync(dataDir, { recursive: true });
  const driver = createLocalDriver({ dataDir, applicationsDir: join(dataDir, 'none') });
  const full = await checkDriver(driver, null, Number.MAX_SAFE_INTEGER);
  t.match(full, [{ ok: true }, { name: 'disk', ok: false, fix: /^Free \d+\.\d GB/ }, { found: 'none' }]);
  const tool = {
    kind: 'tart' as const,
    version: async () => '2.36.0',
    list: async () => [
      { name: 'mine', state: 'running' as const, diskBytes: null, usedBytes: null },
      { name: 'off', state: 'stopped' as const, diskBytes: null, usedBytes: null },
    ],
  };
  t.match((await checkDriver(driver, tool, 0))[2], { ok: true, found: 'running: mine; macOS runs 2' });
  const locked = () => Promise.reject(new VmToolError('keychain_locked', 'SecKeyCreateRandomKey_ios failed'));
  t.match((await checkDriver(driver, { ...tool, list: locked }, 0))[1], {
    ok: false,
    found: 'SecKeyCreateRandomKey_ios failed',
    fix: /unlock-keychain/,
  });
});

t.test('findings about simulator runtimes that the operator has fetched', async (t) => {
  const folder = tempFolder(t);
  mkdirSync(folder, { recursive: true });
  t.match(await checkRuntimes(folder), { ok: true, found: `none in ${folder}` });
  for (const file of ['iphonesimulator_26.1_23B86.dmg', 'iOS_17.2_Simulator_Runtime.dmg', 'notes.txt']) {
    writeFileSync(join(folder, file), '');
  }
  t.match(await checkRuntimes(folder), { ok: true, found: 'iOS 17.2, iOS 26.1 (23B86)', fix: null });
  writeFileSync(join(folder, 'simulator.dmg'), '');
  t.match(await checkRuntimes(folder), { ok: false, fix: /: simulator\.dmg$/ });
  t.match(await checkRuntimes(join(folder, 'typo')), { ok: false, found: /ENOENT/, fix: /runtimes_dir/ });
});

t.test('findings about the service', async (t) => {
  let status = 200;
  const server = createServer((_request, answer) => answer.writeHead(status).end('{}'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const siteUrl = typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : '';
  t.match(await checkService({ siteUrl, credential: 'x' }), { ok: true, fix: null });
  status = 503;
  t.match(await checkService({ siteUrl, credential: 'x' }), { ok: false, fix: /log of the control plane/ });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  t.match(await checkService({ siteUrl, credential: 'x' }), {
    ok: false,
    found: /cannot be reached/,
    fix: /proxy/,
  });
});

t.test('lines of the report', async (t) => {
  t.equal(findingLine({ name: 'tart', ok: true, found: '2.36.0', fix: null }), 'ok    tart: 2.36.0\n');
  t.equal(
    findingLine({ name: 'disk', ok: false, found: '1.0 GB free', fix: 'Free 9.0 GB.' }),
    'FAIL  disk: 1.0 GB free\n      Free 9.0 GB.\n',
  );
  const step = { name: 'create a Mac', seconds: 41.25, detail: 'ready' };
  t.equal(stepLine({ ...step, status: 'passed' }), 'ok    create a Mac (41.3 s): ready\n');
  t.equal(stepLine({ ...step, status: 'skipped' }), 'skip  create a Mac: ready\n');
  t.equal(stepLine({ ...step, status: 'not_run', detail: '' }), '-     create a Mac\n');
});
