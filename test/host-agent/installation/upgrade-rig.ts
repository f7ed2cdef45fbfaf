// An installation with a small agent, what launchd does with it, and a control plane that serves packages.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { DesiredAgent, HostUpgrade } from '../../../shared/protocol/index.js';
import { listening } from '../../harness/listening.js';
import { until } from '../../harness/until.js';
import { type Behavior, install, pack } from './small-package.js';

export interface Served {
  /** Called for each request of a package; returns true when it has answered. */
  intercept: (answer: ServerResponse, content: Buffer, from: number) => boolean;
  readonly ranges: (string | undefined)[];
}

export async function openRig(t: Test) {
  const prefix = t.testdir();
  const store = join(prefix, 'served');
  mkdirSync(store);
  const served: Served = { intercept: () => false, ranges: [] };
  const server = createServer((request, answer) => {
    const file = join(store, request.url?.replace('/packages/', '') ?? '');
    served.ranges.push(request.headers.range);
    if (!existsSync(file)) return answer.writeHead(404).end('no such package');
    const content = readFileSync(file);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (served.intercept(answer, content, from)) return;
    answer.writeHead(from > 0 ? 206 : 200).end(content.subarray(from));
  });
  const port = await listening(t, server);
  const paths = install(prefix, '1.0.0');
  const [desire, reports] = [join(prefix, 'desire.json'), join(prefix, 'reports')];
  const env = {
    PATH: process.env.PATH,
    SMALL_DESIRE: desire,
    SMALL_REPORTS: reports,
    SMALL_TRIAL_MS: '60000',
    SMALL_URL: `http://127.0.0.1:${port}`,
  };
  const launchd = createLaunchd(join(paths.current, 'bin/cidermill'), env);
  t.teardown(launchd.stop);

  return {
    prefix,
    store,
    served,
    paths,
    env,
    launchd,
    siteUrl: env.SMALL_URL,
    pack: (version: string, behavior?: Behavior) => pack(store, version, behavior),
    want(wanted: DesiredAgent | null) {
      writeFileSync(desire, JSON.stringify(wanted));
    },
    reports(): (HostUpgrade & { runs: string })[] {
      if (!existsSync(reports)) return [];
      const lines = readFileSync(reports, 'utf8').split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    },
  };
}
export type Rig = Awaited<ReturnType<typeof openRig>>;

/** Starts the agent again whenever it has ended, as KeepAlive does. */
export function createLaunchd(program: string, env: NodeJS.ProcessEnv) {
  let child: ChildProcess | null = null;
  let wanted = false;
  let starts = 0;
  const start = () => {
    starts++;
    child = spawn(program, ['host-agent', 'run'], { env, stdio: 'ignore' });
    child.once('error', () => ended());
    child.once('exit', () => ended());
  };
  const ended = () => {
    child = null;
    if (wanted) setImmediate(start);
  };
  return {
    start() {
      wanted = true;
      if (child === null) start();
    },
    /** As `kill -9` of the daemon, or a loss of power: `wanted` decides whether it is started again. */
    kill: () => child?.kill('SIGKILL') ?? false,
    starts: () => starts,
    async stop() {
      wanted = false;
      child?.kill('SIGKILL');
      await until(() => child === null, 'the agent has ended');
    },
  };
}
