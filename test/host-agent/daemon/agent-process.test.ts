// The agent as a process: its command line, lock and configuration.
// Runs in: soak
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as pty from 'node-pty';
import t, { type Test } from 'tap';
import { runHostAgent } from '../../../host-agent/cli/program.js';
import { agentConfig } from '../../../host-agent/daemon/agent-config.js';
import { parseConfig, RESTART_FIELDS, readConfig } from '../../../host-agent/daemon/config.js';
import { createHostAgent, enrolHost, LockedError, NotEnrolledError } from '../../../host-agent/index.js';
import { takeLock } from '../../../host-agent/system/lock.js';
import { openLogFile } from '../../../host-agent/system/log-file.js';
import { createLog } from '../../../shared/log.js';
import { startLinkService } from '../../harness/link-service.js';
import { openMacTools } from '../../harness/macos/tools.js';
import { until } from '../../harness/until.js';

const compiled = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

function start(t: Test, module: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [compiled(module), ...args], {
    // Without the variables that the test runner adds to every process it starts.
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    output.out += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    output.err += data;
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { child, output };
}

const exitOf = async (child: ChildProcess): Promise<number | null> =>
  child.exitCode ?? ((await once(child, 'exit')) as [number | null])[0];

t.test('a machine is enrolled by the command, serves, is stopped, and serves again', async (t) => {
  const service = await startLinkService(t);
  const data = join(t.testdir(), 'host');
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });

  const enroll = (given: string) => {
    const args = ['enroll', '--url', service.siteUrl, '--data', data, '--name', 'mini', '--json'];
    const { child, output } = start(t, 'host-agent/main.js', [...args, '--allow-unisolated']);
    child.stdin.end(given);
    return { child, output };
  };
  const wrong = enroll('cme_wrong\n');
  t.equal(await exitOf(wrong.child), 77);
  t.match(wrong.output.err, /invalid_enrolment_token/);
  t.notOk(existsSync(join(data, 'credential.json')));
  t.equal(await exitOf(enroll('').child), 78);

  const right = enroll(`${token}\n`);
  t.equal(await exitOf(right.child), 0, right.output.err);
  const { host_id } = JSON.parse(right.output.out);
  t.match(await service.hosts.get(host_id), { name: 'mini', status: 'active' });
  t.equal(statSync(join(data, 'credential.json')).mode & 0o777, 0o600);
  const { credential } = JSON.parse(readFileSync(join(data, 'credential.json'), 'utf8'));
  t.equal(await exitOf(enroll(token).child), 77, 'a token is used up');

  const mac = openMacTools(t);
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    const { child, output } = start(t, 'host-agent/main.js', ['run', '--data', data], mac.env);
    await until(() => service.link.connectedHosts().includes(host_id), 'connected');
    if (end === 'SIGKILL') {
      const health = async () => (await service.hosts.get(host_id)).health;
      await until(async () => (await health()) !== null, 'the first checks of its doctor');
      const found = new Map((await health())?.findings.map((finding) => [finding.check, finding]));
      t.match(found.get('sleep'), { status: 'failed', fix: /^sudo pmset -a sleep 0/ });
      t.match(found.get('data_folder'), { status: 'ok', found: `${data}, mode 700` });
      t.match(found.get('service'), { status: 'failed', found: /answers 404/ });
      t.notOk(found.has('keychain'), 'what does not apply is not reported');
      const repair = ['doctor', '--fix', '--check', 'sleep', '--data', data];
      t.equal(await exitOf(start(t, 'host-agent/main.js', repair, mac.env).child), 0);
      const sleep = async () => (await health())?.findings.find(({ check }) => check === 'sleep');
      await until(async () => (await sleep())?.status === 'ok', 'the checks after a repair');
    }
    const second = start(t, 'host-agent/main.js', ['run', '--data', data]);
    t.equal(await exitOf(second.child), 75, 'one agent at a time');
    t.match(second.output.err, new RegExp(`process ${child.pid}`));
    child.kill(end);
    t.equal(await exitOf(child), end === 'SIGTERM' ? 0 : null);
    t.notMatch(output.err, credential, 'the log never holds the credential');
    await until(() => service.link.connectedHosts().length === 0, 'disconnected');
  }
});

t.test('on a terminal, enroll asks for the token', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const data = join(t.testdir(), 'host');
  const args = ['enroll', '--url', service.siteUrl, '--data', data, '--allow-unisolated'];
  const terminal = pty.spawn(process.execPath, [compiled('host-agent/main.js'), ...args], {
    env: { ...process.env, NODE_OPTIONS: '', TERM: 'xterm' },
  });
  let seen = '';
  terminal.onData((text) => {
    seen += text;
  });
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  await until(() => seen.includes('Token: '), 'the question');
  terminal.write(`${token}\r`);
  t.equal(await ended, 0, seen);
  t.ok(existsSync(join(data, 'credential.json')));
});

t.test('a forked agent stops when its parent exits or tells it to', async (t) => {
  const service = await startLinkService(t);
  const dataDir = t.testdir();
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const config = { control_plane: service.siteUrl, allow_unisolated: true };
  const { host_id } = await enrolHost({ dataDir, token, config });
  for (const end of ['disconnect', 'SIGTERM'] as const) {
    const child = fork(compiled('host-agent/main.js'), ['run', '--data', dataDir], { stdio: 'ignore' });
    t.teardown(() => child.kill('SIGKILL'));
    await until(() => service.link.connectedHosts().includes(host_id), 'connected');
    if (end === 'disconnect') child.disconnect();
    else child.kill(end);
    t.equal(await exitOf(child), 0, end);
  }
});

t.test('failing commands print the reason and exit with the matching code', async (t) => {
  const data = t.testdir({ token: 'cme_x\n' });
  const tokenFile = join(data, 'token');
  const said = t.capture(process.stderr, 'write', () => true);
  const offline = ['--data', data, '--url', 'http://127.0.0.1:1'];
  const cases: [string[], number, RegExp][] = [
    [[], 64, /enroll|run/],
    [['sing'], 64, /sing/],
    [['enroll', '--data', data], 64, /--url/],
    [['run', '--data', data], 78, /enroll this host first/],
    [['run', ...offline], 77, /no credential/],
    [['run', '--data', data, '--url', 'nonsense'], 78, /control_plane/],
    [['enroll', ...offline, '--token-file', tokenFile], 69, /ECONNREFUSED/],
  ];
  for (const [args, code, message] of cases) {
    t.equal(await runHostAgent(args), code, args.join(' '));
    t.match(JSON.stringify(said()), message);
  }
  t.same(readdirSync(data), ['token'], 'and nothing is left behind');

  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  writeFileSync(tokenFile, token);
  const right = ['enroll', '--data', data, '--url', service.siteUrl, '--token-file', tokenFile];
  const printed = t.capture(process.stdout, 'write', () => true);
  const exitCode = await runHostAgent(right);
  // Restored before any assertion, because the test runner writes there too.
  printed.restore();
  t.equal(exitCode, 0);
  t.match(JSON.stringify(printed()), /enrolled as/);
  t.match(JSON.stringify(said()), /"note: .*allow_unisolated/, 'what will keep it from starting is said at once');
  t.equal(await runHostAgent(['run', '--data', data]), 78);
});

t.test('a machine that is a host stays that host, unless --replace is given', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({
    tier: 'local',
    slots: 1,
    reusable: { uses: 9, until: service.clock.now() + 3_600_000 },
  });
  const folder = t.testdir({ token });
  const data = join(folder, 'host');
  const args = ['enroll', '--data', data, '--url', service.siteUrl, '--allow-unisolated', '--json'];
  const said = t.capture(process.stderr, 'write', () => true);
  const printed = t.capture(process.stdout, 'write', () => true);
  const enroll = (...flags: string[]) => runHostAgent([...args, '--token-file', join(folder, 'token'), ...flags]);
  const files = () =>
    readdirSync(data)
      .sort()
      .map((name) => `${name} ${readFileSync(join(data, name), 'utf8')}`);
  const first = await enroll();
  const before = files();
  const second = await enroll();
  // It asks for no code, either.
  const third = await runHostAgent([...args, '--approve', '--driver', 'tart', '--url', 'http://127.0.0.1:1']);
  const kept = files();
  const replaced = await enroll('--replace');
  printed.restore();
  said.restore();
  const text = JSON.stringify(said());
  t.same([first, second, third, replaced], [0, 77, 77, 0]);
  t.same(kept, before, 'nothing was changed');
  const { host_id: id, name } = JSON.parse(before.find((file) => file.startsWith('credential'))?.slice(15) ?? '');
  t.match(text, `is the host ${name} (${id}) of ${service.siteUrl} already; nothing was changed`);
  t.match(text, `was the host ${name} (${id}) before. Its service keeps that host`);
  t.equal((await service.hosts.list()).length, 2);
  t.not(JSON.parse(readFileSync(join(data, 'credential.json'), 'utf8')).host_id, id);
});

t.test('a host of virtual machines is enrolled by the command alone', async (t) => {
  const service = await startLinkService(t);
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const data = join(t.testdir({ token }), 'host');
  const said = t.capture(process.stderr, 'write', () => true);
  const printed = t.capture(process.stdout, 'write', () => true);
  const enroll = (...flags: string[]) => runHostAgent(['enroll', '--data', data, '--url', service.siteUrl, ...flags]);
  const typo = await enroll('--driver', 'tarte', '--token-file', join(data, '../token'));
  const right = await enroll('--driver', 'tart', '--token-file', join(data, '../token'));
  printed.restore();
  t.same([typo, right], [64, 0]);
  t.match(JSON.stringify(said()), /Allowed choices are local, tart, lume/);
  t.notMatch(JSON.stringify(said()), /allow_unisolated/);
  t.match(JSON.parse(readFileSync(join(data, 'agent.json'), 'utf8')), { driver: 'tart' });
});

t.test('configuration changes are applied live where possible, and an invalid file changes nothing', async (t) => {
  const service = await startLinkService(t);
  const dataDir = t.testdir();
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const config = { control_plane: service.siteUrl, allow_unisolated: true, log_level: 'info' as const };
  const { host_id } = await enrolHost({ dataDir, token, config });
  const lines: Record<string, unknown>[] = [];
  const log = createLog('agent', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const agent = createHostAgent({ dataDir, log });
  await agent.start();
  t.teardown(() => agent.stop());
  await until(() => agent.status().link === 'up', 'up');
  t.equal(agent.status().hostId, host_id);
  await agent.start();

  const save = (content: unknown) =>
    writeFileSync(join(dataDir, 'agent.json'), typeof content === 'string' ? content : JSON.stringify(content));
  save({ ...config, drain: true });
  await until(async () => (await service.hosts.get(host_id)).draining, 'draining is reported');
  for (const [bad, why] of [
    ['{', /not JSON/],
    ['[]', /not a JSON object/],
    [{ ...config, drian: true }, /unknown drian/],
    [{ ...config, limits: { link: { outputFrameBytes: 0 } } }, /outputFrameBytes/],
  ] as const) {
    save(bad);
    await until(() => lines.some((line) => why.test(JSON.stringify(line.err ?? ''))), String(why));
  }
  t.ok((await service.hosts.get(host_id)).draining, 'the old one stays');
  save({ ...config, applications_dir: '/elsewhere', log_level: 'error' });
  await until(async () => !(await service.hosts.get(host_id)).draining, 'not draining any more');
  t.match(
    lines.find((line) => 'fields' in line),
    { fields: ['applications_dir'], msg: /restart/ },
  );
  t.equal(log.level, 'error');
  t.equal(agent.status().link, 'up', 'without a new connection');

  const again = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const { host_id: next } = await enrolHost({ dataDir, token: again.token, config, replace: true });
  await until(() => service.link.connectedHosts().includes(next), 'a new enrolment is taken up at once');
});

t.test('an agent refuses to start without isolation, enrollment or lock', async (t) => {
  const dataDir = t.testdir();
  const control_plane = 'http://127.0.0.1:1';
  const overrides = { control_plane, allow_unisolated: true };
  await t.rejects(createHostAgent({ dataDir, overrides }).start(), NotEnrolledError);
  writeFileSync(
    join(dataDir, 'credential.json'),
    JSON.stringify({ host_id: 'host_1', name: 'x', credential: 'cmh_x' }),
    { mode: 0o644 },
  );
  await t.rejects(createHostAgent({ dataDir, overrides: { control_plane } }).start(), /allow_unisolated/);
  t.equal(statSync(join(dataDir, 'credential.json')).mode & 0o777, 0o600, 'closed to others when read');
  const lock = takeLock(dataDir);
  await t.rejects(createHostAgent({ dataDir, overrides }).start(), LockedError);
  lock.release();
  const log = createLog('agent', 'silent');
  const agent = createHostAgent({ dataDir, overrides, log });
  await agent.start();
  t.not(agent.status().link, 'up');
  await agent.stop();
  takeLock(dataDir).release();
});

t.test('of many agents that find the lock of a dead process, one gets it', async (t) => {
  const dir = t.testdir();
  for (let round = 0; round < 2; round++) {
    const contenders = Array.from({ length: 5 }, () => start(t, 'test/host-agent/daemon/lock-contender.js', [dir]));
    await until(() => contenders.every((c) => c.output.out !== ''), 'all have tried');
    const holders = contenders.filter((c) => c.output.out === 'locked\n');
    t.equal(holders.length, 1, `round ${round}`);
    for (const { child } of contenders) {
      // The holder is killed and cannot release the lock, so the next round finds the lock of a dead process.
      child.kill('SIGKILL');
      await exitOf(child);
    }
  }
  writeFileSync(join(dir, 'agent.lock'), '');
  const lock = takeLock(dir);
  t.throws(() => takeLock(dir), LockedError);
  lock.release();
  t.same(readdirSync(dir), [], 'nothing is left of claims and tries');
});

t.test('a lock that somebody else has written leads to no other file', async (t) => {
  const dir = t.testdir({ precious: 'x', data: {} });
  const data = join(dir, 'data');
  const forged = { pid: 2 ** 22 + 1, born: 'x', nonce: 'x/../../precious' };
  writeFileSync(join(data, 'agent.lock'), JSON.stringify(forged));
  takeLock(data).release();
  t.equal(readFileSync(join(dir, 'precious'), 'utf8'), 'x');
  t.same(readdirSync(data), []);
});

t.test('a lock whose successor died while taking it over is taken over too', async (t) => {
  const dead = (nonce: string) => JSON.stringify({ pid: 2 ** 22 - 1, born: 'long ago', nonce });
  const dir = t.testdir({ 'agent.lock': dead('a'), 'agent.lock.after-a': dead('b') });
  takeLock(dir).release();
  t.same(readdirSync(dir), []);
});

t.test('valid and invalid configurations', async (t) => {
  const page = readFileSync(new URL('../../../../docs/hosts.md', import.meta.url), 'utf8');
  for (const field of Object.keys(agentConfig.shape)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${field}\` |`));
    t.ok(row, `docs/hosts.md explains ${field}`);
    t.equal(/restart \|$/.test(row ?? ''), (RESTART_FIELDS as readonly string[]).includes(field), `${field}: restart`);
  }
  t.throws(() => parseConfig({ control_plane: 'ftp://x' }), /control_plane/);
  t.throws(() => parseConfig({ control_plane: 'https://x.example', slots: 0 }), /slots/);
  const dir = t.testdir({ 'agent.json': '{"control_plane":"https://a.example","drain":true}' });
  const config = readConfig(join(dir, 'agent.json'), { control_plane: 'https://b.example' });
  t.match(config, { control_plane: 'https://b.example', drain: true, driver: 'local', slots: null });
});

t.test('the log file is rotated by the agent itself', async (t) => {
  const dir = t.testdir();
  const file = join(dir, 'agent.log');
  const log = openLogFile(file, { largestBytes: 1000, kept: 5 });
  for (let i = 0; i < 100; i++) log.write(`${String(i).padEnd(99)}\n`, () => t.fail());
  t.same(readdirSync(dir).sort(), [
    'agent.log',
    'agent.log.1',
    'agent.log.2',
    'agent.log.3',
    'agent.log.4',
    'agent.log.5',
  ]);
  t.match(readFileSync(file, 'utf8'), /^90 .*\n/);
  t.match(readFileSync(`${file}.5`, 'utf8'), /^40 .*\n/);
  t.equal(statSync(file).mode & 0o777, 0o600);
});
