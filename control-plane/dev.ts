// `cidermill dev`: the whole service on this machine. This process only seeds the data and watches over two others,
// the control plane and a host agent with the local driver, which talk over the real link.
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { systemClock } from '../shared/clock.js';
import { createLog } from '../shared/log.js';
import { ConfigError } from './config.js';
import { lockDataFolder, openDataFolder } from './data-folder.js';
import type { SeedData } from './dev/data.js';
import { type DevFile, readDevFile, writeDevFile } from './dev/dev-file.js';
import { enrolLocalHost } from './dev/local-host.js';
import { type DevOptions, parseDevOptions } from './dev/options.js';
import { printReady } from './dev/print-ready.js';
import { hostIsConnected, macsAreReady } from './dev/ready.js';
import { type Demo, describeTier, seedAccount, seedMacs } from './dev/seed.js';
import { type Half, supervise } from './dev/supervise.js';
import type { FolderLock } from './platform/store/folder-lock.js';
import { EXIT_CANNOT_START, StartError } from './start-error.js';

const USAGE_ERROR = 64;
/** Of the host agent: the command line, its configuration or its credential is wrong. */
const AGENT_CANNOT_RUN = [64, 77, 78];
const STOP_GRACE_MS = 15_000;

/**
 * Runs until SIGINT or SIGTERM; both halves are started again when they die.
 *
 * @param argv without the command's own name
 * @returns the exit code: 64 for flags that are not understood, 78 when the service cannot start as it is configured
 *   or where it is (the folder or the port is in use)
 */
export async function runDev(argv: readonly string[]): Promise<number> {
  try {
    return await runIn(parseDevOptions(argv));
  } catch (error) {
    // Commander has said what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (!(error instanceof StartError || error instanceof ConfigError)) throw error;
    const lines = error instanceof ConfigError ? error.problems : [error.message];
    process.stderr.write(lines.map((line) => `cidermill dev: ${line}\n`).join(''));
    return EXIT_CANNOT_START;
  }
}

async function runIn(options: DevOptions): Promise<number> {
  const folder = openDataFolder(options.data);
  // Held while a control plane that died is not yet started again, too.
  const lock = lockDataFolder(options.data, folder.devLock);
  try {
    // The control plane takes this one itself; nothing is written below another one that runs.
    lockDataFolder(options.data, folder.lock).release();
    // Loads the whole control plane: not for a start that is refused.
    const { openSeedData } = await import('./dev/data.js');
    const seeding = await openSeedData(options.data);
    try {
      return await run(options, seeding, lock);
    } finally {
      await seeding.close();
    }
  } finally {
    lock.release();
  }
}

async function run(options: DevOptions, seeding: SeedData, lock: FolderLock): Promise<number> {
  const log = createLog('dev');
  const demo = await seedAccount(seeding, readDevFile(options.data));
  const pids = { control_plane: null as number | null, host_agent: null as number | null };
  let file: DevFile | null = null;
  const started = (half: keyof typeof pids) => (pid: number) => {
    pids[half] = pid;
    if (file) writeDevFile(options.data, { ...file, pids });
  };

  const stop = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // Started by a program over a channel: it ends with that program.
    if (process.connected) process.once('disconnect', () => resolve());
  });
  let listening: (siteUrl: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  let port = options.port;
  const controlPlane = supervise({
    ...{ name: 'control-plane', clock: systemClock, log, onStart: started('control_plane') },
    module: join(import.meta.dirname, 'main.js'),
    env: () => controlPlaneEnv(options, port),
    permanent: [EXIT_CANNOT_START],
    onMessage(message) {
      const siteUrl = siteUrlOf(message);
      if (siteUrl === null) return;
      // Started again it has to be found where it was.
      port = Number(new URL(siteUrl).port);
      lock.announce(siteUrl);
      listening(siteUrl);
    },
  });
  const halves: Half[] = [controlPlane];
  try {
    const siteUrl = await Promise.race([address, stop, controlPlane.gaveUp]);
    if (typeof siteUrl !== 'string') return siteUrl ?? 0;
    const hostData = join(options.data, 'host');
    const { hostId, isNew } = await enrolLocalHost({
      hostData,
      siteUrl,
      hosts: seeding.hosts,
      slots: options.macs + options.free,
    });
    if (isNew) await seedMacs(seeding, demo, hostId, options);
    const agent = supervise({
      ...{ name: 'host-agent', clock: systemClock, log, onStart: started('host_agent') },
      module: join(import.meta.dirname, '../host-agent/main.js'),
      argv: () => ['run', '--data', hostData],
      permanent: AGENT_CANNOT_RUN,
      env: () => process.env,
      onMessage: () => undefined,
    });
    halves.push(agent);
    const ended = Promise.race([stop, controlPlane.gaveUp, agent.gaveUp]);
    // The control plane that just started knows of no connection before this one.
    const connected = await Promise.race([hostIsConnected(seeding.hosts, hostId, systemClock), ended]);
    if (connected === undefined || typeof connected === 'number') return connected ?? 0;
    await describeTier(seeding, connected);
    const ready = await Promise.race([macsAreReady(siteUrl, demo.read_key, systemClock), ended]);
    if (ready !== true) return ready ?? 0;
    file = devFileOf(demo, siteUrl, pids);
    writeDevFile(options.data, file);
    printReady(file, options);
    // Without its host the service still answers; without the control plane nothing does.
    return (await Promise.race([stop, controlPlane.gaveUp])) ?? 0;
  } finally {
    // The agent first: it says goodbye to a control plane that still listens. Builds go on, and are found again.
    for (const half of halves.reverse()) await half.stop(STOP_GRACE_MS);
    // A channel to the program that started this one would keep the process alive.
    if (process.connected) process.disconnect();
  }
}

function controlPlaneEnv(options: DevOptions, port: number): NodeJS.ProcessEnv {
  return {
    // A person's terminal is for what went wrong; the rest is there when asked for.
    CIDERMILL_LOG_LEVEL: 'warn',
    CIDERMILL_PAYMENT_PROVIDER: 'sandbox',
    // Commits, contents and passwords share Node's threads; see docs/operating.md.
    UV_THREADPOOL_SIZE: '16',
    ...process.env,
    CIDERMILL_DATA: options.data,
    CIDERMILL_PORT: String(port),
    CIDERMILL_TEST_CLOCK: String(options.testClock),
    ...(options.requestsPerMinute === undefined
      ? {}
      : { CIDERMILL_REQUESTS_PER_MINUTE: String(options.requestsPerMinute) }),
  };
}

function siteUrlOf(message: unknown): string | null {
  if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'listening')
    return null;
  return 'siteUrl' in message && typeof message.siteUrl === 'string' ? message.siteUrl : null;
}

function devFileOf(demo: Demo, siteUrl: string, pids: DevFile['pids']): DevFile {
  return {
    // Of an earlier start it says where that one was.
    ...demo,
    site_url: siteUrl,
    base_url: `${siteUrl}/api/v1`,
    runner_url: `${siteUrl}/api/runner`,
    pids,
  };
}
