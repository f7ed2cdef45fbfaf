// One run of the bench, phase by phase.
import { cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { median } from '../report.js';
import { type Child, startChild } from './child.js';
import type { Waited } from './clients.js';
import type { FleetOptions } from './options.js';
import { type Receiver, startReceiver } from './receiver.js';
import type { FleetResult, Spread } from './results.js';
import { HOLD, TALK } from './scripted-host.js';
import { type FleetService, startFleetService, type Used } from './service.js';
import type { Submitted } from './submitter.js';

const HOSTS_PER_PROCESS = 5_000;
/** Until what hosts and polls have brought about is done. */
const SETTLE_MS = 3_000;
const LAST_BUILDS_MS = 60_000;
const PROBLEMS_KEPT = 3;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const program = (name: string) => new URL(`./${name}.js`, import.meta.url);

/** Starts the service and everybody around it, measures, and stops them. */
export async function runFleet(options: FleetOptions): Promise<FleetResult> {
  const children: Child[] = [];
  const start = (name: string) => {
    const child = startChild(program(name));
    children.push(child);
    return child;
  };
  const receiver = await startReceiver();
  let service: FleetService | null = null;
  try {
    const began = Date.now();
    const note = (text: string) => process.stderr.write(`${((Date.now() - began) / 1_000).toFixed(1)} s: ${text}\n`);
    service = await startFleetService(options, { NODE_EXTRA_CA_CERTS: receiver.certificate });
    note('the service has started');
    return await measure({ options, service, start, note, receiver });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await service?.stop();
    await receiver.stop();
  }
}

interface Fleet {
  readonly options: FleetOptions;
  readonly service: FleetService;
  start(name: string): Child;
  note(text: string): void;
  readonly receiver: Receiver;
}

async function measure(fleet: Fleet): Promise<FleetResult> {
  const { options, service, start, note } = fleet;
  const { urls, keys } = service;
  await pause(SETTLE_MS);
  const empty = await service.memory();

  const connecting = Date.now();
  const unconnected = await service.used();
  if (options.profile !== null) await service.startProfile();
  const hosts = await connectHosts(fleet);
  if (options.profile !== null) await service.stopProfile(join(options.profile, 'connect'));
  const connectSeconds = (Date.now() - connecting) / 1_000;
  note(`${options.hosts} hosts are connected`);
  const connected = between(unconnected, await service.used());
  await pause(SETTLE_MS);
  const withHosts = await service.memory();

  const submitter = start('submitter');
  const clients = start('clients');
  await park(fleet, submitter, clients);
  note(`${options.polls} polls and ${options.followers} followers wait`);
  await pause(SETTLE_MS);
  const withPolls = await service.memory();

  const rested = await service.used();
  await pause(options.restSeconds * 1_000);
  const rest = between(rested, await service.used());

  const work = { urls, keys, rate: options.rate, reads: options.reads };
  const warm = await submitter.ask<Submitted>('submit', { ...work, seconds: options.warmSeconds });
  await allReceived(hosts, warm);
  await pause(options.buildMs + SETTLE_MS);
  const beforeReads = await service.used();
  await submitter.ask('submit', { ...work, rate: 0, seconds: options.restSeconds });
  const reading = between(beforeReads, await service.used());
  for (const host of hosts) await host.ask('received');
  const early = [...warm.problems, ...(await clients.ask<Waited>('waited')).problems];
  note('measuring');
  const bytesBefore = await service.databaseBytes();
  const postsBefore = await fleet.receiver.posts();
  if (options.profile !== null) await service.startProfile();
  await service.restart();
  const before = await service.used();
  const began = Date.now();
  const submitted = await submitter.ask<Submitted>('submit', { ...work, seconds: options.seconds });
  const seconds = (Date.now() - began) / 1_000;
  const loaded = between(before, await service.used());
  const lag = await service.lag();
  if (options.profile !== null) await service.stopProfile(join(options.profile, 'builds'));
  const received = await allReceived(hosts, submitted);
  // The last builds end, and their webhooks are sent.
  await pause(options.buildMs + SETTLE_MS);
  const waited = await clients.ask<Waited>('waited');
  note('measured');
  const bytesAfter = await service.databaseBytes();
  const posts = (await fleet.receiver.posts()) - postsBefore;
  const ends = await Promise.all(hosts.map((host) => host.ask<Record<string, number>>('ends')));
  for (const host of hosts) await host.ask('close');
  await clients.ask('close');

  const problems = [...early, ...submitted.problems, ...waited.problems];
  const builds = submitted.builds.length;
  const { dispatch, throughPost, inTime } = dispatchTimes(submitted, received, seconds);
  return {
    at: new Date().toISOString(),
    machine: {
      cpu: cpus()[0]?.model ?? '',
      cores: cpus().length,
      memory: totalmem(),
      kernel: release(),
      node: process.version,
    },
    options,
    connectSeconds,
    connecting: perSecond(connected, connectSeconds),
    seconds,
    reconnects: ends.flatMap((one) => Object.values(one)).reduce((all, count) => all + count, 0),
    builds,
    dispatched: received.size,
    twice: [...received.values()].filter((times) => times.length > 1).length,
    perSecond: inTime / seconds,
    failed: problems.length,
    problems: [...new Set(problems)].slice(0, PROBLEMS_KEPT),
    dispatch,
    throughPost,
    answers: {
      '/builds (POST)': spread(submitted.builds.map(([, planned, accepted]) => accepted - planned)),
      ...Object.fromEntries(Object.entries(submitted.reads).map(([path, all]) => [path, spread(all)])),
    },
    lines: spread(waited.lines),
    polls: waited.answers,
    posts,
    lag,
    memory: { empty, withHosts, withPolls },
    rest: perSecond(rest, options.restSeconds),
    reading: perSecond(reading, options.restSeconds),
    load: perSecond(loaded, seconds),
    databaseBytes: bytesAfter,
    databaseGrowth: bytesAfter - bytesBefore,
  };
}

async function connectHosts({ options, service, start }: Fleet): Promise<Child[]> {
  const { urls } = service;
  const { hosts, buildMs } = options;
  const processes: Child[] = [];
  const all: Promise<void>[] = [];
  for (let from = 0; from < hosts; from += HOSTS_PER_PROCESS) {
    const child = start('hosts');
    processes.push(child);
    all.push(child.ask('connect', { urls, from, to: Math.min(hosts, from + HOSTS_PER_PROCESS), buildMs }));
  }
  await Promise.all(all);
  return processes;
}

/** Lets polls wait for builds that do not end, followers follow builds that print a line each second, and registers webhooks. */
async function park({ options, service, receiver }: Fleet, submitter: Child, clients: Child): Promise<void> {
  const { urls, keys } = service;
  const { polls, followers, webhooks } = options;
  const at = <T>(list: readonly T[], number: number) => list[number % list.length] as T;
  const requests = (count: number, builds: readonly string[], path: (build: string) => string) =>
    Array.from({ length: count }, (_, i) => ({ url: at(urls, i), key: at(keys, i), path: path(at(builds, i)) }));
  if (polls > 0) {
    const held = await submitter.ask<string[]>('hold', { urls, keys, script: HOLD });
    await clients.ask(
      'poll',
      requests(polls, held, (build) => `/builds/${build}/wait?timeout=60`),
    );
  }
  if (followers > 0) {
    const owners = keys.slice(0, followers);
    const talking = await submitter.ask<string[]>('hold', { urls, keys: owners, script: TALK });
    await clients.ask(
      'follow',
      requests(followers, talking, (build) => `/builds/${build}/log?format=text&offset=0&wait=3600`),
    );
  }
  const given = Array.from({ length: webhooks }, (_, i) => ({ key: at(keys, i), url: `${receiver.url}/${i}` }));
  await submitter.ask('register', { urls, webhooks: given });
}

/** Returns when each of the builds was received, waiting for the last ones for a while. */
async function allReceived(hosts: readonly Child[], { builds }: Submitted): Promise<Map<string, number[]>> {
  const mine = new Set(builds.map(([id]) => id));
  const received = new Map<string, number[]>();
  const deadline = Date.now() + LAST_BUILDS_MS;
  for (;;) {
    for (const host of hosts) {
      for (const [id, at] of await host.ask<[string, number][]>('received')) {
        if (mine.has(id)) received.set(id, [...(received.get(id) ?? []), at]);
      }
    }
    if (received.size === mine.size || Date.now() > deadline) return received;
    await pause(200);
  }
}

function dispatchTimes({ builds }: Submitted, received: ReadonlyMap<string, readonly number[]>, seconds: number) {
  const dispatch: number[] = [];
  const throughPost: number[] = [];
  const end = Math.min(...builds.map(([, planned]) => planned)) + seconds * 1_000;
  let inTime = 0;
  for (const [id, planned, accepted] of builds) {
    const [at] = received.get(id) ?? [];
    if (at === undefined) continue;
    if (at <= end) inTime++;
    // The host may have the build before the client has the answer.
    dispatch.push(Math.max(0, at - accepted));
    throughPost.push(at - planned);
  }
  return { dispatch: spread(dispatch), throughPost: spread(throughPost), inTime };
}

function between(before: Used, after: Used): Used {
  return {
    processors: after.processors.map((one, i) => one - (before.processors[i] ?? 0)),
    database: after.database - before.database,
    written: after.written - before.written,
    commits: after.commits - before.commits,
  };
}

function perSecond({ processors, database, written, commits }: Used, seconds: number): Used {
  return {
    processors: processors.map((one) => one / seconds),
    database: database / seconds,
    written: written / seconds,
    commits: commits / seconds,
  };
}

function spread(values: readonly number[]): Spread {
  if (values.length === 0) return { count: 0, p50: 0, p99: 0, max: 0 };
  const sorted = [...values].sort((a, b) => a - b);
  const p99 = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
  return { count: values.length, p50: median(values), p99, max: sorted.at(-1) ?? 0 };
}
