// The control plane in processes of its own: one on the embedded database, or several on PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { type Cluster, startPostgres } from '../../test/harness/postgres.js';
import { cpuMicros } from '../http-load.js';
import { processorSeconds } from '../processor-time.js';
import { startChild } from './child.js';
import type { FleetOptions } from './options.js';
import type { Lag, Memory } from './probe.js';

const main = fileURLToPath(new URL('../../control-plane/main.js', import.meta.url));
const probe = new URL('./probe.js', import.meta.url).href;

/** As a server of a service has it, not as those of tests. */
const DURABLE = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=512MB'];

export interface Used {
  /** Of each process of the control plane, microseconds. */
  readonly processors: readonly number[];
  /** Of the database's server, microseconds; 0 if it is embedded. */
  readonly database: number;
  /** Written by the control plane (files), and the log of a database's server. */
  readonly written: number;
  /** Transactions of a database's server. */
  readonly commits: number;
}

export interface FleetService {
  readonly urls: readonly string[];
  readonly keys: readonly string[];
  memory(): Promise<Memory>;
  /** Begins to measure the event loops. */
  restart(): Promise<void>;
  /** The worst of the processes. */
  lag(): Promise<Lag>;
  used(): Promise<Used>;
  databaseBytes(): Promise<number>;
  startProfile(): Promise<void>;
  stopProfile(folder: string): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly data: readonly string[];
  readonly cluster: Cluster | null;
  readonly url: string | null;
}

export async function startFleetService(options: FleetOptions, more: NodeJS.ProcessEnv): Promise<FleetService> {
  const place = await makePlace(options, more);
  const children: Process[] = [];
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()));
    await place.cluster?.stop();
    rmSync(place.root, { recursive: true, force: true });
  };
  try {
    const [first = ''] = place.data;
    await (await startProcess(place.env, first)).stop();
    for (const data of place.data.slice(1)) {
      mkdirSync(data, { mode: 0o700 });
      copyFileSync(join(first, 'secret.key'), join(data, 'secret.key'));
    }
    const seeder = startChild(new URL('./seed.js', import.meta.url), { ...place.env, CIDERMILL_DATA: first });
    const keys = await seeder.ask<string[]>('seed', { hosts: options.hosts, accounts: options.accounts });
    await seeder.stop();
    for (const data of place.data) children.push(await startProcess(place.env, data));
    return { ...measured(place, children), urls: children.map(({ url }) => url), keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function makePlace(options: FleetOptions, more: NodeJS.ProcessEnv): Promise<Place> {
  const { postgres, accounts, polls, followers } = options;
  const root = mkdtempSync(join(tmpdir(), 'cidermill-fleet-'));
  const cluster = postgres > 0 ? await startPostgres(DURABLE) : null;
  const url = cluster && (await cluster.createDatabase()).url.replace('@/', '@localhost/');
  mkdirSync(join(root, 'objects'), { mode: 0o700 });
  const shared = { CIDERMILL_OBJECTS: pathToFileURL(join(root, 'objects')).href };
  // Besides these, the limits are those of every installation.
  const env = {
    CIDERMILL_LOG_LEVEL: 'warn',
    CIDERMILL_PORT: '0',
    CIDERMILL_REQUESTS_PER_MINUTE: '10000000',
    CIDERMILL_CONNECTIONS_PER_KEY: '20000',
    CIDERMILL_CONCURRENT_BUILDS: '100000',
    CIDERMILL_QUEUED_BUILDS: '100000',
    CIDERMILL_WEBHOOKS: '1000',
    CIDERMILL_ACCOUNT_PARKED_REQUESTS: String(Math.ceil((polls + followers) / accounts) + 20),
    CIDERMILL_WEBHOOK_ALLOWED_PRIVATE: '127.0.0.1',
    ...more,
    ...(url === null ? {} : { CIDERMILL_DATABASE_URL: url, ...shared }),
  };
  const data = Array.from({ length: Math.max(1, postgres) }, (_, i) => join(root, `data-${i}`));
  return { root, env, data, cluster, url };
}

interface Process {
  readonly pid: number;
  readonly url: string;
  ask<T>(what: string, given?: unknown): Promise<T>;
  stop(): Promise<void>;
}

async function startProcess(env: NodeJS.ProcessEnv, data: string): Promise<Process> {
  const child = spawn(process.execPath, ['--import', probe, main], {
    // With the IPC channel it ends when this process dies.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...env, CIDERMILL_DATA: data },
  });
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the control plane ended with ${code}`)));
    child.on('message', (message: { type?: string; siteUrl?: string }) => {
      if (message.type === 'listening') resolve(message.siteUrl ?? '');
    });
  });
  return {
    pid: child.pid ?? 0,
    url,
    ask: asker(child),
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The probe answers with the id of a question; other messages are the control plane's. */
function asker(child: ChildProcess): Process['ask'] {
  let last = 0;
  return (what, given) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const onMessage = (answer: { id?: number; value?: unknown; error?: string }) => {
        if (answer.id !== id) return;
        child.off('message', onMessage);
        if (answer.error === undefined) resolve(answer.value as never);
        else reject(new Error(answer.error));
      };
      child.on('message', onMessage);
      child.send({ id, what, given });
    });
}

function measured(place: Place, children: readonly Process[]): Omit<FleetService, 'urls' | 'keys' | 'stop'> {
  const askAll = <T>(what: string) => Promise.all(children.map((child) => child.ask<T>(what)));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const worst = (all: readonly Lag[], of: keyof Lag) => Math.max(...all.map((one) => one[of]));
  return {
    async memory() {
      const all = await askAll<Memory>('memory');
      return { rss: sum(all.map(({ rss }) => rss)), used: sum(all.map(({ used }) => used)) };
    },
    async restart() {
      await askAll('restart');
    },
    async lag() {
      const all = await askAll<Lag>('lag');
      return { p50: worst(all, 'p50'), p99: worst(all, 'p99'), max: worst(all, 'max') };
    },
    async used() {
      const server = place.url === null ? null : await serverUsed(place.url);
      return {
        processors: children.map(({ pid }) => cpuMicros(pid)),
        database: place.cluster === null ? 0 : processorSeconds(place.cluster.pid) * 1e6,
        written: sum(children.map(({ pid }) => writtenBytes(pid))) + (server?.logged ?? 0),
        commits: server?.commits ?? 0,
      };
    },
    databaseBytes: async () =>
      place.url === null ? sqliteBytes(place.data[0] ?? '') : (await serverUsed(place.url)).size,
    async startProfile() {
      await askAll('profile');
    },
    async stopProfile(folder) {
      mkdirSync(folder, { recursive: true });
      await Promise.all(children.map((child, i) => child.ask('profiled', join(folder, `process-${i}.cpuprofile`))));
    },
  };
}

async function serverUsed(url: string): Promise<{ size: number; logged: number; commits: number }> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT pg_database_size(current_database())::float8 AS size, (pg_current_wal_lsn() - '0/0')::float8 AS logged,
         (SELECT xact_commit::float8 FROM pg_stat_database WHERE datname = current_database()) AS commits`,
    );
    return rows[0] as { size: number; logged: number; commits: number };
  } finally {
    await client.end();
  }
}

function sqliteBytes(data: string): number {
  const sizes = ['', '-wal'].map((end) => statSync(join(data, `cidermill.db${end}`), { throwIfNoEntry: false })?.size);
  return sizes.reduce<number>((all, size) => all + (size ?? 0), 0);
}

function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
}
