// Both programs with standard output and standard error on a full disk: they serve, and end when they are told to. Commands end
// with the reason.
// Runs in: soak
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { enrolHost } from '../../host-agent/index.js';
import { startLinkService } from '../harness/link-service.js';
import { until } from '../harness/until.js';

const compiled = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function startOnFullDisk(t: Test, program: string, args: string[], env: Record<string, string>) {
  const full = openSync('/dev/full', 'w');
  const child = fork(compiled(program), args, {
    env: { ...process.env, NODE_OPTIONS: '', CIDERMILL_LOG_LEVEL: 'trace', ...env },
    stdio: ['ignore', full, full, 'ipc'],
  });
  closeSync(full);
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test('the control plane serves although nothing that it prints can be written', async (t) => {
  const env = { CIDERMILL_DATA: join(t.testdir(), 'data'), CIDERMILL_PORT: '0' };
  const child = startOnFullDisk(t, 'control-plane/main.js', [], env);
  const [{ siteUrl }] = (await once(child, 'message')) as [{ siteUrl: string }];
  for (let i = 0; i < 3; i++) t.equal((await fetch(`${siteUrl}/healthz`)).status, 200);
  child.kill('SIGTERM');
  t.equal((await once(child, 'exit'))[0], 0);
});

t.test('the host agent serves although nothing that it prints can be written', async (t) => {
  const service = await startLinkService(t);
  for (const log_file of [null, '/dev/full']) {
    const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
    const dataDir = join(t.testdir(), log_file === null ? 'plain' : 'with-file');
    const config = { control_plane: service.siteUrl, allow_unisolated: true, log_file };
    await enrolHost({ dataDir, token, config });
    const child = startOnFullDisk(t, 'host-agent/main.js', ['run', '--data', dataDir], {});
    await until(() => service.link.connectedHosts().length === 1, 'connected');
    child.kill('SIGTERM');
    t.equal((await once(child, 'exit'))[0], 0);
    await until(() => service.link.connectedHosts().length === 0, 'disconnected');
  }
});

t.test('a command whose output cannot be written ends with the reason, not with a trace', async (t) => {
  const data = t.testdir({});
  for (const args of [
    ['--help'],
    ['admin', '--help'],
    ['dev', '--help'],
    ['host-agent', '--help'],
    ['host-agent', 'run', '--help'],
    ['host-agent', 'status', '--data', data],
  ]) {
    const command = args.join(' ');
    const full = openSync('/dev/full', 'w');
    const ended = spawnSync(process.execPath, [compiled('client/bin.cjs'), ...args], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    t.equal(ended.stderr, 'error: no space is left on the disk\n', command);
    t.equal(ended.status, 70, command);
    const unread = spawnSync(
      'sh',
      ['-c', '{ "$@"; echo "$?" >&2; } | true', 'sh', process.execPath, compiled('client/bin.cjs'), ...args],
      {
        encoding: 'utf8',
      },
    );
    t.match(unread.stderr, /^[03]\n$/, `${command}: nobody reads it`);
  }
});
