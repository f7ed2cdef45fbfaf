// `host-agent doctor --try` as a command, in virtual machines. Its steps on the local driver are in test/host-agent/doctor.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bin } from '../../bench/service.js';
import { openTartHost } from '../harness/vm/tart-host.js';
import { tempFolder } from '../host-agent/runner/rig.js';

const doctor = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, [bin, 'host-agent', 'doctor', ...args], { env }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

t.test('a trial in virtual machines passes and removes them', async (t) => {
  const host = await openTartHost(t);
  const data = tempFolder(t);
  // The disk of a machine that runs tests is smaller than one with images of macOS.
  const vm = { pullBytes: 1, growthBytes: 1, reserveBytes: 1 };
  const config = { control_plane: 'http://127.0.0.1', driver: 'tart', limits: { vm } };
  writeFileSync(join(data, 'agent.json'), JSON.stringify(config));
  const tried = await doctor(host.env, '--data', data, '--try', '--json', '--image', 'ghcr.io/acme/macos:26');
  const report = JSON.parse(tried.stdout);
  t.same(
    report.trial.map(({ status }: { status: string }) => status),
    new Array(8).fill('passed'),
    tried.stdout,
  );
  t.equal(tried.code, 0);
  t.same((await host.tart('list', '--quiet', '--source', 'local')).stdout.trim(), '');
});
