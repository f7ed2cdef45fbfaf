// `cidermill dev`: the whole service on this machine. This process seeds the data and supervises two others, the
// control plane and a host agent, which communicate over the real link.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { systemClock } from '../shared/clock.js';
import { isVirtual } from '../shared/drivers.js';
import { createLog, type Log } from '../shared/log.js';
import { finishOutput, reportLostOutput } from '../shared/log-output.js';
import { ConfigError } from './config-error.js';
import { lockDataFolder, makeDataPrivate, openDataFolder } from './data-folder.js';
import type { SeedData } from './dev/data.js';
import { type DevFile, devFile, readDevFile, readFirstStart, writeDevFile, writeFirstStart } from './dev/dev-file.js';
import { folderIsFree } from './dev/folder-is-free.js';
import { enrolLocalHost } from './dev/local-host.js';
import { type DevOptions, parseDevOptions } from './dev/options.js';
import { printReady } from './dev/print-ready.js';
import { hostIsConnected, macsAreReady } from './dev/ready.js';
import { type Demo, describeTier, seedAccount, seedMacs, seedTier } from './dev/seed.js';
import { type Half, supervise } from './dev/supervise.js';
import { printWaiting } from './dev/waiting.js';
import { API_ROOT, CONSOLE_ROOT } from './platform/domain/addresses.js';
import type { FolderLock } from './platform/store/folder-lock.js';
import { EXIT_CANNOT_START, StartError } from './start-error.js';

const USAGE_ERROR = 64;
/** Exit codes of the host agent for an invalid command line, configuration or credential. */
const AGENT_CANNOT_RUN = [64, 77, 78];
const CONTROL_PLANE = fileURLToPath(new URL('./main.js', import.meta.url));
const HOST_AGENT = fileURLToPath(new URL('../host-agent/main.js', import.meta.url));
const STOP_GRACE_MS = 15_000;

/**
 * Runs until SIGINT or SIGTERM; restarts either process when it exits.
 *
 * @param argv arguments without the command's name
 * @returns the exit code: 64 for invalid flags, 78 if the service cannot start because of its configuration or
 *   because the folder or the port is in use
 */
export async function runDev(argv: readonly string[]): Promise<number> {
  try {
    const exitCode = await runIn(parseDevOptions(argv));
    await finishOutput(exitCode);
    return exitCode;
  } catch (error) {
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    if (!(error instanceof StartError || error instanceof ConfigError)) throw error;
    const lines = error instanceof ConfigError ? error.problems : [error.message];
    process.stderr.write(lines.map((line) => `cidermill dev: ${line}\n`).join(''));
    return EXIT_CANNOT_START;
  }
}

async function runIn(options: DevOptions): Promise<number> {
  const folder = openDataFolder(options.data);
  // This lock also covers the time between the exit of a control plane and its restart.
  const lock = lockDataFolder(options.data, folder.devLock);
  try {
    const log = createLog('dev');
    reportLostOutput(log);
    // The control plane takes this lock itself; this only checks that no other control plane uses the folder.
    await folderIsFree(options.data, folder.lock, systemClock, log);
    makeDataPrivate(options.data, log);
    // Imported here because it loads the whole control plane, which a refused start does not need.
    const { openSeedData } = await import('./dev/data.js');
    const seeding = await openSeedData(options.data);
    try {
      return await run(options, seeding, lock, log);
    } finally {
      await seeding.close();
    }
  } finally {
    lock.release();
  }
}

async function run(options: DevOptions, seeding: SeedData, lock: FolderLock, log: Log): Promise<number> {
  await seedTier(seeding, options.image);
  const before = readDevFile(options.data);
  const interrupted = before === null ? readFirstStart(options.data) : null;
  const demo = await seedAccount(seeding, before ?? interrupted);
  // People interrupt a first start that fetches an image; the next one goes on with the same account.
  const isFirst = demo !== before;
  const noteFirst = (macs_rented: boolean) => isFirst && writeFirstStart(options.data, { ...demo, macs_rented });
  const lacksMacs = isFirst && !(demo === interrupted && interrupted.macs_rented);
  noteFirst(!lacksMacs);
  const pids = { control_plane: null as number | null, host_agent: null as number | null };
  let file: DevFile | null = null;
  const started = (half: keyof typeof pids) => (pid: number) => {
    pids[half] = pid;
    if (file) writeDevFile(options.data, { ...file, pids });
  };

  const stop = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // If a parent process started this one with an IPC channel, exit when the parent exits.
    if (process.connected) process.once('disconnect', () => resolve());
  });
  let listening: (siteUrl: string) => void = () => undefined;
  const address = new Promise<string>((resolve) => {
    listening = resolve;
  });
  let port = options.port;
  const controlPlane = supervise({
    name: 'control-plane',
    clock: systemClock,
    log,
    onStart: started('control_plane'),
    module: CONTROL_PLANE,
    env: () => controlPlaneEnv(options, port),
    permanent: [EXIT_CANNOT_START],
    onMessage(message) {
      const siteUrl = siteUrlOf(message);
      if (siteUrl === null) return;
      // A restarted control plane must listen on the same port.
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
      driver: options.driver,
      hosts: seeding.hosts,
      slots: options.macs + options.free,
    });
    if (isNew || lacksMacs) {
      noteFirst(true);
      await seedMacs(seeding, demo, hostId, options);
    }
    const agent = supervise({
      name: 'host-agent',
      clock: systemClock,
      log,
      onStart: started('host_agent'),
      module: HOST_AGENT,
      argv: () => ['run', '--data', hostData],
      permanent: AGENT_CANNOT_RUN,
      env: () => process.env,
      onMessage: () => undefined,
    });
    halves.push(agent);
    const ended = Promise.race([stop, controlPlane.gaveUp, agent.gaveUp]);
    // A control plane resets connections on startup, so this connection is a new one.
    const connected = await Promise.race([hostIsConnected(seeding.hosts, hostId, systemClock), ended]);
    if (connected === undefined || typeof connected === 'number') return connected ?? 0;
    if (!isVirtual(options.driver)) await describeTier(seeding, connected);
    const ready = await Promise.race([waitForMacs(options, seeding, siteUrl, demo), ended]);
    if (ready !== true) return ready ?? 0;
    file = devFileOf(demo, siteUrl, pids);
    writeDevFile(options.data, file);
    printReady(file, options);
    // The service still answers without its host agent, so only the control plane's exit ends this command.
    return (await Promise.race([stop, controlPlane.gaveUp])) ?? 0;
  } finally {
    // Stop the agent first, so that it can close its link cleanly. Builds continue and are resumed on the next startup.
    for (const half of halves.reverse()) await half.stop(STOP_GRACE_MS);
    // An open IPC channel to the parent would keep the process alive.
    if (process.connected) process.disconnect();
  }
}

/** Virtual machines may have to fetch their image first, which has no time limit. */
function waitForMacs(options: DevOptions, { images }: SeedData, siteUrl: string, { read_key }: Demo): Promise<true> {
  if (!isVirtual(options.driver)) return macsAreReady(siteUrl, read_key, systemClock);
  const onWait = printWaiting(images, (line) => void process.stderr.write(`cidermill dev: ${line}\n`));
  return macsAreReady(siteUrl, read_key, systemClock, { patienceMs: Number.POSITIVE_INFINITY, onWait });
}

function controlPlaneEnv(options: DevOptions, port: number): NodeJS.ProcessEnv {
  return {
    // Only warnings and errors on a terminal by default; the environment can override this.
    CIDERMILL_LOG_LEVEL: 'warn',
    CIDERMILL_PAYMENT_PROVIDER: 'sandbox',
    CIDERMILL_FX_KRW_PER_USD: '1400.00',
    // Commits, contents and password hashing share Node's thread pool; see docs/operating.md.
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
  // `demo` may contain the addresses of an earlier run, which are overwritten, or be of a first start.
  return devFile.parse({
    ...demo,
    site_url: siteUrl,
    base_url: `${siteUrl}${API_ROOT}`,
    runner_url: `${siteUrl}${CONSOLE_ROOT}`,
    pids,
  });
}
