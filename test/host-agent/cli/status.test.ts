// `host-agent status`, the file that it reads, and what the words for launchd's answers are.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runHostAgent } from '../../../host-agent/cli/program.js';
import { exitInWords, type Status, statusLines } from '../../../host-agent/cli/status.js';
import { keepStateFile, readAgentState } from '../../../host-agent/daemon/agent-state.js';
import { openLaunchd } from '../../../host-agent/installation/launchd.js';
import { createAdvancingClock, systemClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/log.js';
import { openMacTools } from '../../harness/macos/tools.js';

const log = createLog('test', 'silent');

t.test('the state file follows the connection, and survives a full disk', async (t) => {
  const dataDir = t.testdir();
  const clock = createAdvancingClock({ start: 1_000_000 });
  let builds = 0;
  const file = keepStateFile({
    dataDir,
    clock,
    log,
    about: { pid: 7, version: '1.2.3' },
    look: async () => ({ service: 'https://s', host_id: 'h_1', name: 'mini', builds, macs: 1 }),
  });
  const written = async () => {
    await clock.advance(200);
    return readAgentState(dataDir);
  };
  t.equal(readAgentState(dataDir), null);
  file.link('connecting', null);
  file.link('down', 'ECONNREFUSED');
  t.match(await written(), { link: { state: 'down', since: 1_000_000, reason: 'ECONNREFUSED' }, builds: 0 });
  await clock.advance(60_000);
  file.link('connecting', null);
  t.match(
    await written(),
    { link: { state: 'connecting', since: 1_000_000, reason: 'ECONNREFUSED' } },
    'one outage, with its reason',
  );
  file.link('up', null);
  t.match(await written(), { link: { state: 'up', since: 1_060_400, reason: null } });
  builds = 2;
  file.changed();
  t.match(await written(), { builds: 2, started_at: 1_000_000, pid: 7 });
  // In place of the new file: nothing can be written.
  mkdirSync(join(dataDir, 'agent-state.json.new'));
  builds = 3;
  file.changed();
  t.match(await written(), { builds: 2 });
  rmSync(join(dataDir, 'agent-state.json.new'), { recursive: true });
  file.changed();
  t.match(await written(), { builds: 3 });
  file.changed();
  file.close();
  builds = 4;
  t.match(await written(), { builds: 3 }, 'nothing is written after the end');
  t.match(JSON.parse(readFileSync(join(dataDir, 'agent-state.json'), 'utf8')), { version: '1.2.3' });
});

const agent = {
  pid: 7,
  version: '1.2.3',
  started_at: 0,
  service: 'https://s',
  host_id: 'h_1',
  name: 'mini',
  builds: 1,
  macs: 2,
  link: { state: 'up' as const, since: 0, reason: null },
};
const job = { domain: 'system', loaded: true, runs: 3, last_exit: '77 (not enrolled)' };
const running: Status = { running: true, pid: 7, job, agent, publisher_keys: [], unreadable: null };

t.test('status in words', async (t) => {
  t.equal(
    statusLines(running, 5_000),
    'running (process 7)\nversion:    1.2.3, started 1970-01-01 00:00:00 UTC\nhost:       mini (h_1)\n' +
      'service:    https://s, connected since 1970-01-01 00:00:00 UTC\nwork:       Macs: 2, builds: 1\n' +
      'launchd:    system, starts: 3, last exit: 77 (not enrolled)\n',
  );
  const link = (state: 'down' | 'refused' | 'mismatch', reason: string | null = null) =>
    statusLines({ ...running, agent: { ...agent, link: { state, since: 0, reason } } }, 5_000);
  t.match(link('down', 'ECONNREFUSED'), 'https://s, not connected for 5 s: ECONNREFUSED');
  t.match(link('refused'), /no longer knows this host.*enroll it again/);
  t.match(link('mismatch'), /upgrade the older side/);
  const crashed = statusLines({ ...running, running: false, pid: null }, 0);
  t.match(crashed, /^not running\nlaunchd: .*last exit: 77.*\nSee why: cidermill host-agent logs/);
  t.notMatch(crashed, 'mini', 'what an agent of the past did is not shown as present');
  t.match(statusLines({ ...running, job: { ...job, loaded: false } }, 0), 'not loaded in system; start it with');
  t.match(statusLines({ ...running, agent: null, unreadable: 'with sudo' }, 0), /with sudo\n$/);
  t.match(statusLines({ ...running, publisher_keys: ['RWone', 'RWtwo'] }, 0), /^public key: RWone RWtwo$/m);
  const words: [number, RegExp][] = [
    [0, /stopped on request/],
    [78, /configuration/],
    [75, /another agent/],
    [127, /missing/],
    [3, /^3$/],
  ];
  for (const [code, expected] of words) t.match(exitInWords({ code }), expected);
  t.equal(exitInWords({ signal: 'Killed: 9' }), 'killed by signal Killed: 9');
  t.equal(exitInWords(null), null);
});

t.test('answers of launchctl', async (t) => {
  const mac = openMacTools(t);
  const launchd = openLaunchd({ run: mac.run, domain: 'system', clock: systemClock });
  const cases: [number, string, RegExp][] = [
    [5, 'Bootstrap failed: 5: Input/output error', /plutil -lint/],
    [122, 'Bootstrap failed: 122: Path had bad ownership/permissions', /owned by root/],
    [125, 'Bootstrap failed: 125: Domain does not support specified action', /Nobody is logged in/],
    [150, 'Operation not permitted', /System Integrity Protection/],
    [1, 'Operation not permitted', /with sudo/],
    [99, 'Something new', /failed with 99: Something new$/],
  ];
  for (const [code, stderr, expected] of cases) {
    mac.fail('launchctl', { argument: 'bootstrap', code, stderr, times: 1 });
    await t.rejects(launchd.load('/x.plist'), expected);
  }
  await t.rejects(launchd.restart(), /113: [\s\S]*not loaded/);
  t.equal(await launchd.unload(), false);
  mac.fail('launchctl', {
    argument: 'print',
    code: 0,
    stdout: 'system/x = {\n\tstate = running\n}\n',
    times: 1,
  });
  t.same(await launchd.state(), { pid: null, runs: null, lastExit: null, file: null }, 'a format of the future');
});

t.test('a machine without launchd says what to do instead', async (t) => {
  const said = t.capture(process.stderr, 'write', () => true);
  const printed = t.capture(process.stdout, 'write', () => true);
  const data = t.testdir();
  const codes: number[] = [];
  for (const args of [
    ['install', '--url', 'https://s'],
    ['start'],
    ['status', '--data', data],
    ['logs', '--data', data],
    ['logs', '--lines', 'x'],
  ]) {
    codes.push(await runHostAgent(args));
  }
  const out = printed().map(({ args }) => String(args[0]));
  printed.restore();
  t.same(codes, [78, 78, 3, 78, 78]);
  const messages = said().map(({ args }) => String(args[0]));
  t.match(messages, [/no launchd[\s\S]*systemd/, /no launchd/, /there is no .*agent\.log/, /--lines must be a number/]);
  t.match(out.join(''), /^not running\nlaunchd: +not installed as a job\n$/);
  t.notOk(existsSync('/usr/local/cidermill/agent.lock'));
});
