// The life of an installed host agent: the package for this machine, the command `cidermill host-agent` as people run it, a real
// agent as a role account, and a stand-in of launchd that really starts it and starts it again.
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { installPaths } from '../../host-agent/installation/paths.js';
import { packageHostAgent } from '../../tools/package/host-agent.js';
import { startLinkService } from '../harness/link-service.js';
import { openMacTools } from '../harness/macos/tools.js';
import { root, scriptRuntime } from '../harness/package-here.js';
import { until } from '../harness/until.js';

const VERSION = '1.2.3';

t.test('install, crash, restart, stop, start, uninstall', async (t) => {
  const service = await startLinkService(t);
  const mac = openMacTools(t);
  mac.set('really-run');
  const prefix = mkdtempSync(join(tmpdir(), 'cidermill-prefix-'));
  // The role account goes through it.
  chmodSync(prefix, 0o755);
  t.teardown(() => rmSync(prefix, { recursive: true, force: true }));
  const paths = installPaths(prefix);
  const { name } = await packageHostAgent({ root, out: mac.root, version: VERSION, runtime: scriptRuntime });
  mkdirSync(paths.versions, { recursive: true });
  execFileSync('tar', ['-xzf', join(mac.root, name), '-C', paths.versions]);
  renameSync(join(paths.versions, `cidermill-host-agent-${VERSION}`), join(paths.versions, VERSION));

  let command = join(paths.versions, VERSION, 'bin/cidermill');
  const agent = (args: string[], input = '', uid = 0) =>
    new Promise<{ code: number; out: string }>((done) => {
      const env = { PATH: process.env.PATH, HOME: '/root', CIDERMILL_TOOLS_DIR: mac.root };
      const child = execFile(command, ['host-agent', ...args], { env, uid, cwd: '/' }, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr }),
      );
      child.stdin?.end(input);
    });
  const status = async () => JSON.parse((await agent(['status', '--json'])).out);
  t.teardown(async () => void (existsSync(command) && (await agent(['uninstall', '--force']))));

  t.match(await agent(['status']), { code: 3, out: /^not running\nlaunchd: +not installed as a job/ });
  const { token } = await service.hosts.createEnrolment({ tier: 'local', slots: 1 });
  const flags = ['install', '--url', service.siteUrl, '--allow-unisolated', '--name', 'mini'];
  const installed = await agent(flags, token);
  t.equal(installed.code, 0, installed.out);
  t.match(
    installed.out,
    /done {6}account: created the role account _cidermill[\s\S]*(done|ok) +connection: mini \(\w+\) is connected/,
  );
  command = paths.command;

  const first = await status();
  t.match(first, {
    running: true,
    job: { domain: 'system', loaded: true },
    agent: { version: VERSION, link: { state: 'up' } },
  });
  t.equal(statSync(`/proc/${first.pid}`).uid, 350, 'as the role account');
  const environment = readFileSync(`/proc/${first.pid}/environ`, 'utf8');
  t.match(environment, `HOME=${paths.data}/home`);
  t.notMatch(environment + readFileSync(`/proc/${first.pid}/cmdline`, 'utf8'), token);
  t.match(await agent(['status']), {
    code: 0,
    out: /^running \(process \d+\)\nversion: +1\.2\.3, started .*\nhost: +mini .*\nservice: +http\S+, connected since .*\nwork: +Macs: 0, builds: 0\nlaunchd: +system, starts: 1/,
  });
  const again = await agent(flags);
  t.equal(again.code, 0, again.out);
  t.notMatch(again.out, /done +[^d ]/, 'nothing to do');
  t.equal((await status()).pid, first.pid);

  // As somebody else: what can be seen, and what needs sudo.
  chmodSync(mac.root, 0o755);
  chmodSync(join(mac.root, 'state'), 0o777);
  chmodSync(join(mac.root, 'state/calls'), 0o666);
  const seen = await agent(['status'], '', 65534);
  t.match(seen, {
    code: 0,
    out: /^running[\s\S]*launchd: +system, starts: 1[\s\S]*run this with sudo to see more/,
  });
  const refused = { code: 78, out: /belongs to another user; run this with sudo/ };
  t.match(await agent(['restart'], '', 65534), refused);
  t.match(await agent(flags, '', 65534), { code: 78, out: /run this with sudo/ });

  // A full disk while the property list is written.
  const small = join(mac.root, 'small');
  mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'tmpfs', small]);
  t.teardown(() => execFileSync('umount', ['-l', small]));
  rmSync(join(prefix, 'Library/LaunchDaemons'), { recursive: true });
  symlinkSync(small, join(prefix, 'Library/LaunchDaemons'));
  writeFileSync(paths.daemonPlist, 'an older one');
  const ballast = join(small, 'ballast');
  t.throws(() => writeFileSync(ballast, Buffer.alloc(64 * 1024)), { code: 'ENOSPC' });
  const full = await agent(flags);
  t.match(full, { code: 73, out: /FAILED +property list: ENOSPC[\s\S]*run the command again/ }, full.out);
  t.equal(readFileSync(paths.daemonPlist, 'utf8'), 'an older one');
  rmSync(ballast);
  const continued = await agent(flags);
  t.match(continued, { code: 0, out: /done +property list: replace[\s\S]*done +launchd: load/ }, continued.out);
  const present = await status();
  process.kill(present.pid, 'SIGKILL');
  await until(
    async () => (await status()).agent?.link.state === 'up' && (await status()).pid !== present.pid,
    'started again',
  );
  const second = await status();
  t.match(second.job, { runs: 2, last_exit: /killed by signal/ });
  t.match(await agent(['restart']), { code: 0, out: /^running[\s\S]*connected since/ });
  t.not((await status()).pid, second.pid);

  t.match(await agent(['logs', '--lines', '500']), {
    code: 0,
    out: /^\S+Z info +host agent starts data=\S+[\s\S]*link is up/,
  });
  t.match(await agent(['stop']), { code: 0, out: /^Stopped until/ });
  t.match(await agent(['status']), {
    code: 3,
    out: /^not running\nlaunchd: +not loaded in system; start it with/,
  });
  t.equal(service.link.connectedHosts().length, 0);
  t.match(await agent(['start']), { code: 0, out: /^running[\s\S]*connected since/ });

  const gone = await agent(['uninstall', '--delete-data']);
  t.match(gone, { code: 0, out: /admin host remove mini[\s\S]*sysadminctl -deleteUser _cidermill/ }, gone.out);
  for (const path of [paths.root, paths.command, paths.data, paths.daemonPlist]) t.notOk(existsSync(path), path);
  t.equal(mac.calls('launchctl').filter(([word]) => word === 'bootstrap').length, 3);
});
