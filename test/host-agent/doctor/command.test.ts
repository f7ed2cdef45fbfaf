// The command `host-agent doctor`: its report, its flags and its exit code.
// Runs in: soak
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bin } from '../../../bench/service.js';
import { doctorOfAgent } from '../../../host-agent/doctor/as-agent.js';
import { commandText } from '../../../host-agent/doctor/check.js';
import { checks } from '../../../host-agent/doctor/checks/table.js';
import { fixFindings } from '../../../host-agent/doctor/fix.js';
import { findingLine, skippedLine, stepLine, summaryLine } from '../../../host-agent/doctor/report.js';
import { openMacTools } from '../../harness/macos/tools.js';
import { openTartHost } from '../../harness/vm/tart-host.js';
import { tempFolder } from '../runner/rig.js';
import { openMac, statuses } from './rig.js';

const doctor = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, [bin, 'host-agent', 'doctor', ...args], { env }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

t.test('doctor with tart installed on a Mac as it is delivered, and without tart', async (t) => {
  const [host, mac] = [await openTartHost(t), openMacTools(t)];
  const data = join(tempFolder(t), 'not-enrolled');
  const well = await doctor({ ...host.env, ...mac.env }, '--data', data, '--driver', 'tart');
  t.match(well, { code: 1, stdout: /^ok {4}tart: \d+\.\d+\.\d+; license: /m });
  t.match(well.stdout, /virtual machines: none runs/);
  t.match(well.stdout, /^warn {2}images: none\n {6}\S/m);
  t.match(well.stdout, /^FAIL {2}sleep: sleeps after 1 min\n {6}sudo pmset -a sleep 0/m);
  for (const name of ['power failure', 'auto login', 'automatic updates', 'DHCP lease time']) {
    t.match(well.stdout, new RegExp(`^warn {2}${name}: .*\n {6}\\S`, 'm'));
  }
  t.match(well.stdout, /^- {5}not applicable here: .*local_network.*service/m);
  t.notMatch(well.stdout, /cannot be read/);
  t.match(well.stdout, /^Problems found, \d warnings\.$/m);
  mac.set('pmset', 'sleep 0\n');
  const warned = await doctor(
    { ...host.env, ...mac.env },
    '--data',
    data,
    '--check',
    'sleep',
    '--check',
    'dhcp_lease_time',
    '--driver',
    'tart',
  );
  t.match(warned, { code: 0, stdout: /^No problems found, 1 warning\.$/m }, 'warnings do not fail');
  const missing = await doctor({ PATH: '/usr/bin:/bin' }, '--data', data, '--driver', 'tart', '--json');
  t.equal(missing.code, 1);
  const report = JSON.parse(missing.stdout);
  t.match(report, { driver: 'tart', ok: false, trial: null });
  t.match(report.findings.slice(0, 2), [
    { check: 'driver', name: 'driver', status: 'ok', automatic: false },
    { check: 'vm_tool', name: 'tart', ok: false, status: 'failed', fix: /Install the program/ },
  ]);
  t.equal(report.findings.length, checks.length);
  t.notOk('repairs' in report.findings[0]);
  const withoutImage = await doctor(host.env, '--data', data, '--driver', 'tart', '--try');
  t.match(withoutImage, { code: 78, stderr: /needs --image/ });
  t.match(await doctor(host.env, '--data', data, '--driver', 'vmware'), {
    code: 64,
    stderr: /Allowed choices/,
  });
});

t.test('doctor --fix changes what it may, says so before, and checks again', async (t) => {
  const mac = openMacTools(t);
  const data = tempFolder(t);
  chmodSync(data, 0o755);
  const env = { PATH: '/usr/bin:/bin', ...mac.env };
  const chosen = ['sleep', 'automatic_updates', 'data_folder', 'filevault'].flatMap((name) => ['--check', name]);
  mac.set('filevault', 'FileVault is On.');
  const fixed = await doctor(env, '--data', data, '--driver', 'local', ...chosen, '--fix');
  t.match(fixed, { code: 0, stderr: '' });
  const [before = '', after = ''] = fixed.stdout.split(/(?=^run )/m);
  t.match(before, /FAIL {2}sleep: sleeps after 1 min\n {6}sudo pmset -a sleep 0/);
  t.match(after, /^run {3}chmod 700|^run {3}sudo pmset/);
  t.match(fixed.stdout, /^run {3}sudo pmset -a sleep 0 .*\nok {4}sleep: never$/m);
  t.match(fixed.stdout, /-bool false\nrun {3}sudo defaults .*\nok {4}automatic updates: off$/m);
  t.equal(statSync(data).mode & 0o777, 0o700);
  t.same(
    mac.calls('pmset').filter(([first]) => first === '-a'),
    [['-a', 'sleep', '0', 'disksleep', '0', 'displaysleep', '0', 'powernap', '0']],
  );
  t.same(
    mac.calls('fdesetup').filter(([first]) => first !== 'status'),
    [],
    'FileVault stays as it is',
  );
  t.match(fixed.stdout, /^No problems found, 1 warning\.$/m);
  const again = await doctor(env, '--data', data, '--driver', 'local', ...chosen, '--fix', '--json');
  t.match(JSON.parse(again.stdout), { ok: true, fixes: [] });
});

t.test('doctor as somebody else than the agent’s user, and as a user without an account', async (t) => {
  const data = tempFolder(t);
  const as = (uid: string, folder: string) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
      const args = ['--reuid', uid, '--clear-groups', process.execPath, bin, 'host-agent', 'doctor'];
      execFile('setpriv', [...args, '--data', folder], (error, stdout, stderr) =>
        done({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  t.match(await as('65534', data), { code: 78, stderr: /belongs to the user 0; .*sudo -u '#0' cidermill/ });
  t.match(await as('54321', '/var/lib/not-enrolled'), { code: 0, stdout: /^ok {4}user: 54321 \(54321\)$/m });
});

t.test('root has the checks made as the agent’s user, and runs itself what needs root', async (t) => {
  const mac = openMacTools(t, { accounts: [{ name: 'builder', uid: 54321, home: '/Users/builder' }] });
  const data = tempFolder(t);
  // Where the agent's user reaches both.
  mac.set('calls');
  for (const path of ['', 'state', 'state/calls']) chmodSync(join(mac.root, path), 0o777);
  chownSync(data, 54321, 20);
  chmodSync(data, 0o755);
  const env = { PATH: '/usr/bin:/bin', ...mac.env };
  const chosen = ['user', 'data_folder', 'sleep', 'filevault'].flatMap((name) => ['--check', name]);
  const fixed = await doctor(env, '--data', data, '--driver', 'local', ...chosen, '--fix');
  t.match(fixed, { code: 0, stderr: '' });
  t.match(fixed.stdout, /^cidermill \S+, driver local, as builder\nok {4}user: .* \(54321\)$/m);
  t.match(fixed.stdout, /^warn {2}data folder: .* mode 755.*\n {6}chmod 700/m);
  t.match(fixed.stdout, /^run {3}chmod 700 \S+ \(as builder\)\nok {4}data folder: .* mode 700$/m);
  t.match(fixed.stdout, /^run {3}sudo pmset -a sleep 0 .*\nok {4}sleep: never\nNo problems found\.$/m);
  t.match(statSync(data), { uid: 54321 });
});

t.test(
  'the doctor of root uses the session at the screen, and prints its answers without control characters',
  async (t) => {
    const mac = openMacTools(t);
    const account = { name: 'builder', uid: 501, gid: 20, home: '/Users/builder' };
    const asked: boolean[] = [];
    const finding = { check: 'sleep', name: 'sleep', status: 'ok', ok: true, automatic: false, fix: null };
    let stdout = JSON.stringify({
      version: '1',
      driver: 'tart',
      ok: true,
      machine: { os: 'x', arch: 'x', node: 'x' },
      trial: null,
      findings: [{ ...finding, found: '\x1b]0;root\x07never' }],
    });
    const agent = doctorOfAgent(
      account,
      '/data',
      async ({ args, inSession }) => {
        asked.push(inSession);
        t.same(args, ['doctor', '--json', '--data', '/data', '--check', 'sleep']);
        return { code: 0, stdout };
      },
      mac.run,
    );
    t.match(await agent.diagnose(['--check', 'sleep']), { findings: [{ found: 'never', repairs: [] }] });
    mac.set('session-501');
    await agent.diagnose(['--check', 'sleep']);
    t.same(asked, [false, true]);
    for (stdout of ['', '{}', 'Killed: 9']) {
      await t.rejects(agent.diagnose(['--check', 'sleep']), /ran as builder exited with 0 and without a report/);
    }
  },
);

t.test('root runs no program that the agent’s user has chosen, even if the report names one', async (t) => {
  const mac = openMac(t);
  const reached: string[] = [];
  const reach = (what: string) => () => {
    reached.push(what);
    return Promise.reject(new Error(what));
  };
  const host = mac.host();
  const program = {
    kind: 'tart' as const,
    version: reach('version'),
    list: reach('list'),
    images: reach('images'),
    address: reach('address'),
  };
  // Its check offers a command of the agent's user, which is not root's to run.
  const dataDir = join(mac.mac.root, 'data');
  mkdirSync(dataDir, { mode: 0o755 });
  const open = () => ({
    ...host,
    user: { uid: 0, name: 'root', home: '/var/root' },
    tool: program,
    dataDir,
    driver: { kind: 'tart' as const, inventory: reach('inventory') },
  });
  const account = { name: 'builder', uid: 501, gid: 20, home: '/Users/builder' };
  const agent = doctorOfAgent(account, '/data', async () => ({ code: 0, stdout: '' }), host.run);
  const said = { ok: false, automatic: true, status: 'failed', found: 'x', fix: 'sudo x' } as const;
  const findings = checks.map(({ check }) => ({ ...said, check, name: check, repairs: [] }));
  const chosen = findings.filter(({ check }) => !['service', 'certificate', 'clock'].includes(check));
  await agent.fix(chosen, { checks, open, print: () => {} });
  t.same(reached, []);
  t.equal(statSync(dataDir).mode & 0o777, 0o755);
});

t.test('--check with a name that does not exist', async (t) => {
  const typo = await doctor({ PATH: '/usr/bin:/bin' }, '--check', 'slep');
  t.match(typo, { code: 64, stderr: /Did you mean sleep\?/ });
  const unknown = await doctor({ PATH: '/usr/bin:/bin' }, '--check', 'everything-at-once');
  t.match(unknown, { code: 64, stderr: /There are: driver, vm_tool, .*version\./ });
});

t.test('fixes that need root, and commands that fail', async (t) => {
  const host = openMac(t);
  host.mac.unset('pmset');
  host.mac.set('keychain', 'timeout=300s');
  const lines: string[] = [];
  const chosen = checks.filter(({ check }) => ['sleep', 'keychain', 'disk'].includes(check));
  const fix = async () =>
    fixFindings({
      findings: await host.look('sleep', 'keychain', 'disk'),
      checks: chosen,
      open: host.host,
      print: (text) => lines.push(text),
    });
  const first = await fix();
  t.same(
    first.fixes.map(({ check, done }) => [check, done]),
    [
      ['sleep', false],
      ['keychain', true],
    ],
  );
  t.match(first.fixes[0]?.reason, /needs root/);
  t.same(statuses(first.findings), { disk: 'ok', sleep: 'failed', keychain: 'ok' });
  t.same(
    host.mac.calls('pmset').filter(([flag]) => flag === '-a'),
    [],
  );
  host.given = { ...host.given, user: { uid: 0, name: 'root', home: '/var/root' } };
  host.mac.fail('pmset', { code: 77, argument: '-a', stderr: 'pmset: not\x1b[31m permitted\n', times: 1 });
  const second = await fix();
  t.match(second.fixes, [{ done: false, reason: 'exit code 77: pmset: not permitted' }]);
  t.match(lines.at(-1), /^FAIL {2}exit code 77/);
  t.match(await fix(), { fixes: [{ done: true, reason: null }], findings: [{}, { status: 'ok' }] });
  t.equal(commandText({ argv: ['/bin/chmod', '700', "/it's here"], as: 'user' }), `chmod 700 '/it'\\''s here'`);
});

t.test('lines of the report', async (t) => {
  const finding = { check: 'vm_tool', name: 'tart', automatic: false, repairs: [] };
  const fine = { ...finding, status: 'ok', ok: true, found: '2.36.0', fix: null } as const;
  const full = {
    ...finding,
    name: 'disk',
    status: 'failed',
    ok: false,
    found: '1 GB',
    fix: 'Free 9 GB.',
  } as const;
  const slow = { ...finding, name: 'sleep', status: 'warning', ok: true, found: 'x', fix: 'y' } as const;
  const none = {
    ...finding,
    check: 'chip',
    status: 'not_applicable',
    ok: true,
    found: '',
    fix: null,
  } as const;
  t.equal(findingLine(fine), 'ok    tart: 2.36.0\n');
  t.equal(findingLine(full), 'FAIL  disk: 1 GB\n      Free 9 GB.\n');
  t.equal(findingLine(slow), 'warn  sleep: x\n      y\n');
  t.equal(skippedLine([fine, none, full]), '-     not applicable here: chip\n');
  t.equal(skippedLine([fine]), '');
  t.equal(summaryLine({ ok: true, findings: [fine], trial: null }), 'No problems found.\n');
  t.equal(summaryLine({ ok: false, findings: [full, slow], trial: null }), 'Problems found, 1 warning.\n');
  const step = { name: 'create a Mac', seconds: 41.25, detail: 'ready' };
  t.equal(stepLine({ ...step, status: 'passed' }), 'ok    create a Mac (41.3 s): ready\n');
  t.equal(stepLine({ ...step, status: 'skipped' }), 'skip  create a Mac: ready\n');
  t.equal(stepLine({ ...step, status: 'not_run', detail: '' }), '-     create a Mac\n');
});
