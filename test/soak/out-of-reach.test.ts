// Builds that attack the agent: each of them fails, its Mac is recreated, and the next build succeeds. The service, the
// agent, its build processes and the scripts are real.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { startService } from '../../bench/service.js';
import { withService } from '../../control-plane/admin/service.js';
import { devFile } from '../../control-plane/dev/dev-file.js';
import { cidermill } from '../harness/cli.js';
import { processesWith } from '../harness/processes.js';
import { casesOf } from '../harness/soak.js';
import { until } from '../harness/until.js';

const FIND = 'd=$(cd "$HOME"/../../../builds/*/"$CIDERMILL_BUILD_ID".1 && pwd)';
/** The build process is the parent of the wrapper's shell, which is the parent of the script's. */
const SUPERVISOR = 's=$(ps -o ppid= -p $PPID)';
const FORGED = JSON.stringify({ outcome: 'exited', exit_code: 0, artifacts: [{ name: 'shadow', bytes: 1 }] });

const changed = { reason_code: 'build_folder_changed', fault: 'platform' };
const killed = { reason_code: 'internal_error', fault: 'platform' };
const either = { reason_code: /^(build_folder_changed|internal_error)$/, fault: 'platform' };

const attacks: Readonly<Record<string, readonly [script: string, failure: object]>> = {
  'deletes its attempt': [`${FIND}; rm -rf "$d"`, changed],
  'replaces its attempt by a link': [`${FIND}; mv "$d" "$d-away"; ln -s /tmp "$d"`, changed],
  'truncates its log': [`${FIND}; : >"$d/spool"`, changed],
  'fills its attempt with junk': [`${FIND}; head -c 1000000 /dev/urandom >"$d/junk"`, changed],
  'writes a result': [`${FIND}; echo '${FORGED}' >"$d/result.json"`, changed],
  'kills its build process': [`${SUPERVISOR}; kill -KILL $s`, killed],
  'ends its build process with the signal of a shutdown': [
    `${SUPERVISOR}; kill -TERM $s`,
    { reason_code: 'mac_lost', fault: 'platform' },
  ],
  'writes a result and kills its build process': [
    `${FIND}; ${SUPERVISOR}; echo '${FORGED}' >"$d/result.json"; kill -KILL $s`,
    either,
  ],
  'stops its build process': [`${SUPERVISOR}; kill -STOP $s`, killed],
  'kills the agent and its build process': [`${SUPERVISOR}; a=$(ps -o ppid= -p $s); kill -KILL $a $s`, killed],
};

/** Changes to files alone are also tested on the build process (`host-agent/runner/damage.test.ts`). */
const sharpest = [
  'replaces its attempt by a link',
  'ends its build process with the signal of a shutdown',
  'writes a result and kills its build process',
  'stops its build process',
  'kills the agent and its build process',
];

t.test('a build that attacks the agent fails, and its changes are discarded', async (t) => {
  const service = await startService({}, ['--macs', '1', '--free', '0']);
  const app = mkdtempSync(join(tmpdir(), 'cidermill-app-'));
  writeFileSync(join(app, 'README'), 'A minimal project.\n');
  t.teardown(async () => {
    await service.stop();
    rmSync(app, { recursive: true, force: true });
  });
  const host = join(service.data, 'host');
  const config = JSON.parse(readFileSync(join(host, 'agent.json'), 'utf8'));
  // A process that does not answer is killed after a second; the agent applies this to the next build.
  const limits = { ...config.limits, build: { hungMs: 1_000, folderCheckMs: 200, warmProcesses: 0 } };
  writeFileSync(join(host, 'agent.json'), JSON.stringify({ ...config, limits, log_level: 'silent' }));
  const build = async (script: string) => {
    const ran = await cidermill(service.env, app, 'build', '--json', '--script', script);
    return { ...ran, build: JSON.parse(ran.stdout) as Record<string, unknown> };
  };
  const next = async (name: string) => {
    const { code, stderr } = await build('test ! -e "$HOME/planted" && touch "$TMPDIR/x" && cat README');
    t.equal(code, 0, `${name}: the next build finds none of its files`);
    if (code !== 0) t.comment(stderr);
  };
  const agent = () => devFile.parse(JSON.parse(readFileSync(join(service.data, 'dev.json'), 'utf8'))).pids.host_agent;

  for (const [name, [script, failure]] of casesOf(attacks, sharpest)) {
    const ran = await build(`touch "$HOME/planted"; echo begun; sleep 0.1; ${script}; sleep 4391`);
    t.match(ran.build, { status: 'failed', failure }, name);
    await next(name);
  }
  const stopsAgent = await build(`${SUPERVISOR}; kill -STOP $(ps -o ppid= -p $s); echo stopped; sleep 0.3`);
  t.match(stopsAgent.build, { status: 'succeeded' }, 'a stopped agent is resumed when the build ends');
  t.same(processesWith(`${host}/macs/`), [], 'none of their processes is left');

  const before = agent();
  const ran = await build('touch "$HOME/planted"; sleep 0.1; rm -rf "$(cd "$HOME/../../.." && pwd)"; sleep 4392');
  t.match(ran.build, { status: 'failed', failure: changed }, 'deletes the data folder of the agent');
  const files = ['credential.json', 'agent.json', 'agent.lock'].map((name) => join(host, name));
  await until(() => files.every((file) => existsSync(file)), 'the agent writes its files again');
  await next('deletes the data folder of the agent');
  t.equal(agent(), before, 'the agent was not restarted');
  const restored = JSON.parse(readFileSync(join(host, 'agent.json'), 'utf8'));
  t.same(restored.limits, limits);
  writeFileSync(join(host, 'agent.json'), JSON.stringify({ ...restored, drain: true }));
  const drains = async () => (await withService(service.data, ({ hosts }) => hosts.list()))[0]?.draining;
  await until(async () => (await drains()) === true, 'changes of the configuration file are applied');
});
