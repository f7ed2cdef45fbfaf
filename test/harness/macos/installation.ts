// A Mac on which the package of the host agent was unpacked: a folder as prefix, stand-ins of macOS's tools, and commands that run
// in this process. Needs root, as the commands do: folders and files belong to several users.
// Requires: root
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { ChildCommand } from '../../../host-agent/cli/install/child.js';
import { install } from '../../../host-agent/cli/install/command.js';
import type { InstallDeps } from '../../../host-agent/cli/install/machine.js';
import type { InstallFlags } from '../../../host-agent/cli/install/plan.js';
import { configPath } from '../../../host-agent/daemon/config.js';
import { writeCredential } from '../../../host-agent/daemon/credential.js';
import { exchangeToken } from '../../../host-agent/daemon/link/enrol.js';
import { asOwner, asUser } from '../../../host-agent/installation/as-user.js';
import { type InstallPaths, installPaths } from '../../../host-agent/installation/paths.js';
import { type Lock, takeLock } from '../../../host-agent/system/lock.js';
import { AnswerError } from '../../../host-agent/system/request.js';
import type { Clock } from '../../../shared/clock.js';
import { writeDurably } from '../../../shared/durable-file.js';
import { isErrno } from '../../../shared/errno.js';
import { packageVersion } from '../../../shared/package-version.js';
import { type MacTools, openMacTools } from './tools.js';

const bin = fileURLToPath(new URL('../../../client/bin.cjs', import.meta.url));

export interface Installation {
  readonly mac: MacTools;
  readonly paths: InstallPaths;
  readonly deps: InstallDeps;
  /** Returns what the commands have printed since the last call. */
  printed(): string;
  /** Commands that ran as the account. */
  readonly children: ChildCommand[];
  install(flags?: InstallFlags): Promise<number>;
  /** What the agent says once launchd has started it; null: it crashes. */
  agent: { link: string; version: string; builds: number } | null;
}

/** @param url the service */
export function unpackedPackage(t: Test, url: string, version = '9.9.9'): Installation {
  const prefix = mkdtempSync(join(tmpdir(), 'cidermill-prefix-'));
  // Other users go through it.
  chmodSync(prefix, 0o755);
  t.teardown(() => rmSync(prefix, { recursive: true, force: true }));
  const paths = installPaths(prefix);
  const script = writePackage(paths, version);
  mkdirSync(`${prefix}/Users/build`, { recursive: true, mode: 0o755 });
  chmodSync(`${prefix}/Users`, 0o755);
  chownSync(`${prefix}/Users/build`, 501, 20);
  const mac = openMacTools(t, { accounts: [{ name: 'build', uid: 501, home: '/Users/build' }] });
  let printed = '';
  const children: ChildCommand[] = [];
  const clock = hurriedClock();
  let running: Lock | null = null;
  let starts = 0;
  const end = () => {
    running?.release();
    running = null;
  };
  t.teardown(end);
  const start = () => {
    end();
    const { agent } = installation;
    if (agent === null) return;
    // As the account that the agent runs as.
    const lock = asOwner(paths.data, () => takeLock(paths.data));
    running = { release: () => asOwner(paths.data, () => lock.release()) };
    const { link, ...rest } = agent;
    starts += 1;
    const about = {
      pid: process.pid,
      started_at: starts,
      service: url,
      host_id: 'h_1',
      name: 'mini',
      macs: 1,
    };
    const state = { ...about, ...rest, link: { state: link, since: clock.now(), reason: 'ECONNREFUSED' } };
    asOwner(paths.data, () => writeFileSync(join(paths.data, 'agent-state.json'), JSON.stringify(state)));
  };
  const deps: InstallDeps = {
    async tools(file, args, options) {
      const result = await mac.run(file, args, options);
      if (result.code === 0 && args[0] === 'bootout') end();
      if (result.code === 0 && ['bootstrap', 'kickstart'].includes(args[0] ?? '')) start();
      return result;
    },
    standIns: true,
    script,
    runCommand: async (command) => {
      children.push(command);
      return answer(command);
    },
    clock,
    print: (text) => {
      printed += text;
    },
  };
  const installation: Installation = {
    mac,
    paths,
    deps,
    children,
    agent: { link: 'up', version: packageVersion(), builds: 0 },
    printed() {
      const text = printed;
      printed = '';
      return text;
    },
    install: (flags = {}) => install({ url, allowUnisolated: true, ...flags }, deps),
  };
  return installation;
}

/** A clock whose timers fire at once, each at its time. */
function hurriedClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    setTimeout(fn, ms) {
      const handle = setImmediate(() => {
        now += ms;
        fn();
      });
      return { cancel: () => clearImmediate(handle) };
    },
  };
}

/** Lays a version as its archive does; its program is that of this project. */
export function writePackage(paths: InstallPaths, version: string): string {
  const folder = join(paths.versions, version);
  for (const name of ['bin', 'lib']) {
    mkdirSync(join(folder, name), { recursive: true });
    for (let at = join(folder, name); at.length > paths.prefix.length; at = join(at, '..')) chmodSync(at, 0o755);
  }
  const script = join(folder, 'lib/cidermill.mjs');
  writeFileSync(script, `import ${JSON.stringify(bin)};\n`, { mode: 0o644 });
  const run = `#!/bin/sh\nexec ${process.execPath} ${script} "$@"\n`;
  writeFileSync(join(folder, 'bin/cidermill'), run, { mode: 0o755 });
  for (const file of [script, join(folder, 'bin/cidermill')]) chownSync(file, 0, 0);
  return script;
}

/** Runs the command in this process. */
async function answer({ account, args, input }: ChildCommand): Promise<{ code: number; stdout: string }> {
  const option = (name: string) => args[args.indexOf(name) + 1] ?? '';
  if (args[0] === 'doctor') {
    const findings = [
      { name: 'disk', status: 'failed', found: '1 GB free', fix: 'Free 9 GB.' },
      { name: 'sleep', status: 'warning', found: 'powernap 1', fix: 'sudo pmset -a powernap 0' },
    ];
    return { code: 1, stdout: JSON.stringify({ findings }) };
  }
  const [dataDir, siteUrl] = [option('--data'), option('--url')];
  const config = { control_plane: siteUrl, allow_unisolated: args.includes('--allow-unisolated') };
  try {
    const request = { token: (input ?? '').trim(), hostname: 'mini' };
    const enrolled = await exchangeToken({ siteUrl }, request);
    asUser(account, () => {
      writeCredential(dataDir, { ...enrolled, credential: enrolled.credential ?? '' });
      writeDurably(configPath(dataDir), JSON.stringify(config));
    });
    return { code: 0, stdout: JSON.stringify(enrolled) };
  } catch (error) {
    if (error instanceof AnswerError) return { code: 77, stdout: '' };
    if (isErrno(error, 'ECONNREFUSED')) return { code: 69, stdout: '' };
    throw error;
  }
}
