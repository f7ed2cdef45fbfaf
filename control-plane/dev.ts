// `cidermill dev`: the whole service on this machine. This process only seeds the data and watches over two others,
// the control plane and a host agent with the local driver, which talk over the real link.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { systemClock } from '../shared/clock.js';
import { createLog } from '../shared/log.js';
import { openSeedData, type SeedData } from './dev/data.js';
import { type DevFile, readDevFile, writeDevFile } from './dev/dev-file.js';
import { enrolLocalHost } from './dev/local-host.js';
import { type DevOptions, parseDevOptions } from './dev/options.js';
import { printReady } from './dev/print-ready.js';
import { macsAreReady } from './dev/ready.js';
import { type Demo, describeTier, seedAccount, seedMacs } from './dev/seed.js';
import { type Half, supervise } from './dev/supervise.js';

const USAGE_ERROR = 64;
const STOP_GRACE_MS = 15_000;

/**
 * Runs until SIGINT or SIGTERM; both halves are started again when they die.
 *
 * @param argv without the command's own name
 * @returns the exit code
 */
export async function runDev(argv: readonly string[]): Promise<number> {
  let options: DevOptions;
  try {
    options = parseDevOptions(argv);
  } catch (error) {
    // Commander has said what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    throw error;
  }
  mkdirSync(options.data, { recursive: true, mode: 0o700 });
  const seeding = await openSeedData(options.data);
  try {
    return await run(options, seeding);
  } finally {
    await seeding.close();
  }
}

async function run(options: DevOptions, seeding: SeedData): Promise<number> {
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
  const halves: Half[] = [
    supervise({
      ...{ name: 'control-plane', clock: systemClock, log, onStart: started('control_plane') },
      module: join(import.meta.dirname, 'main.js'),
      env: () => controlPlaneEnv(options, port),
      onMessage(message) {
        const siteUrl = siteUrlOf(message);
        if (siteUrl === null) return;
        // Started again it has to be found where it was.
        port = Number(new URL(siteUrl).port);
        listening(siteUrl);
      },
    }),
  ];
  try {
    const siteUrl = await Promise.race([address, stop]);
    if (siteUrl === undefined) return 0;
    const hostData = join(options.data, 'host');
    const { hostId, isNew } = await enrolLocalHost({
      hostData,
      siteUrl,
      hosts: seeding.hosts,
      slots: options.macs + options.free,
    });
    if (isNew) await seedMacs(seeding, demo, hostId, options);
    halves.push(
      supervise({
        ...{ name: 'host-agent', clock: systemClock, log, onStart: started('host_agent') },
        module: join(import.meta.dirname, '../host-agent/main.js'),
        argv: () => ['run', '--data', hostData],
        env: () => process.env,
        onMessage: () => undefined,
      }),
    );
    const ready = await Promise.race([macsAreReady(siteUrl, demo.read_key, systemClock), stop]);
    if (ready === undefined) return 0;
    const { inventory } = await seeding.hosts.get(hostId);
    if (inventory) await describeTier(seeding, inventory);
    file = devFileOf(demo, siteUrl, pids);
    writeDevFile(options.data, file);
    printReady(file, options);
    await stop;
    return 0;
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
