// A PostgreSQL cluster of its own, started as an ordinary user, without waiting for the disk.
// Requires: postgres
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverFolders } from '../../tools/test/requirements.js';
import { until } from './until.js';

const program = (name: string) => join(serverFolders()[0] ?? '', name);

/** initdb refuses root. */
function ordinaryUser(): { uid: number; gid: number } | Record<never, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** fast: sessions are ended in order. immediate: as after a crash, the server recovers when it starts. */
export type StopMode = 'fast' | 'immediate';

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

export interface Cluster {
  /** @param template copied; without it the database is empty */
  createDatabase(template?: string): Promise<{ name: string; url: string }>;
  dropDatabase(name: string): Promise<void>;
  /** Folder of the server's programs. */
  readonly programs: string;
  /** Starts another server on a copy of a folder; returns the address of a database on it. */
  startOnCopy(of: string, database: string): Promise<string>;
  url(database: string): string;
  /** Of the server; its other processes are its children. */
  readonly pid: number;
  halt(mode: StopMode): Promise<void>;
  /** Starts it again, and resolves when it answers. */
  resume(): Promise<void>;
  /** Starts a server that has every commit before it is answered, until the first one is halted and this one promoted. */
  startStandby(): Promise<Standby>;
  stop(): Promise<void>;
}

export interface Standby extends Pick<Cluster, 'url' | 'stop'> {
  promote(): Promise<void>;
}

const user = ordinaryUser();
const run = (name: string, args: readonly string[], cwd: string) =>
  execFileSync(program(name), args, {
    ...user,
    cwd,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });

/** A socket's path must be short. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o700);
  if ('uid' in user) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** A server process on the files in `data` of a folder. */
function createServer(folder: string, settings: readonly string[]) {
  const url = (database: string) => `postgres://cidermill@/${database}?host=${encodeURIComponent(folder)}`;
  const admin = new pg.Pool({ connectionString: url('postgres'), max: 1 });
  admin.on('error', () => undefined);
  let halt = async (_mode: StopMode): Promise<void> => undefined;
  let pid = 0;
  return {
    url,
    admin,
    pid: () => pid,
    async start(): Promise<void> {
      const server = spawn(
        program('postgres'),
        ['-D', join(folder, 'data'), '-k', folder, '-h', '', ...settings.flatMap((setting) => ['-c', setting])],
        { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
      );
      pid = server.pid ?? 0;
      let log = '';
      server.stderr.on('data', (piece: Buffer) => {
        log = (log + piece.toString()).slice(-20_000);
      });
      const ended = once(server, 'exit');
      halt = async (mode) => {
        server.kill(SIGNALS[mode]);
        await ended;
      };
      await until(async () => {
        if (server.exitCode !== null) throw new Error(`postgres ended: ${log}`);
        return admin.query('SELECT 1').then(
          () => true,
          () => false,
        );
      }, 'PostgreSQL answers');
    },
    halt: (mode: StopMode) => halt(mode),
    async stop(): Promise<void> {
      await admin.end();
      await halt('fast');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startPostgres(settings: readonly string[] = []): Promise<Cluster> {
  const folder = newFolder();
  run(
    'initdb',
    ['-D', 'data', '-U', 'cidermill', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    folder,
  );
  const given = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200', ...settings];
  const server = createServer(folder, given);
  const { url, admin } = server;
  await server.start();
  const copies: ReturnType<typeof createServer>[] = [];
  let databases = 0;
  return {
    url,
    get pid() {
      return server.pid();
    },
    async createDatabase(template = 'template0') {
      const name = `t${process.pid}_${databases++}`;
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
      return { name, url: url(name) };
    },
    async dropDatabase(name) {
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
    programs: serverFolders()[0] ?? '',
    async startOnCopy(of, database) {
      const other = newFolder();
      const data = join(other, 'data');
      cpSync(of, data, { recursive: true });
      chmodSync(data, 0o700);
      if ('uid' in user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, data]);
      const copy = createServer(other, given);
      copies.push(copy);
      await copy.start();
      return copy.url(database);
    },
    halt: server.halt,
    resume: server.start,
    async startStandby() {
      const other = newFolder();
      run('pg_basebackup', ['-D', 'data', '-R', '-c', 'fast', '-U', 'cidermill', '-h', folder], other);
      const standby = createServer(other, given);
      await standby.start();
      await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await admin.query('SELECT pg_reload_conf()');
      const isAwaited = async () =>
        (await admin.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)).rows.length === 1;
      await until(isAwaited, 'commits wait for the standby');
      return {
        url: standby.url,
        stop: standby.stop,
        async promote() {
          await standby.admin.query('SELECT pg_promote()');
        },
      };
    },
    async stop() {
      for (const copy of copies) await copy.stop();
      await server.stop();
    },
  };
}
