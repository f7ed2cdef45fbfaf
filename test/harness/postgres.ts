// A PostgreSQL cluster of its own, started as an ordinary user, without waiting for the disk.
// Requires: postgres
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { serverFolders } from '../../tools/test/requirements.js';
import { until } from './until.js';

const program = (name: string) => join(serverFolders()[0] ?? '', name);

/** initdb refuses root. */
function ordinaryUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface Cluster {
  /** @param template copied; without it the database is empty */
  createDatabase(template?: string): Promise<{ name: string; url: string }>;
  dropDatabase(name: string): Promise<void>;
  /** Folder of the server's programs. */
  readonly programs: string;
  /** Starts another server on a copy of a folder; returns the address of a database on it. */
  startOnCopy(of: string, database: string): Promise<string>;
  url(database: string): string;
  stop(): Promise<void>;
}

export async function startPostgres(settings: readonly string[] = []): Promise<Cluster> {
  const user = ordinaryUser();
  // A socket's path must be short.
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid as number);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  execFileSync(
    program('initdb'),
    ['-D', data, '-U', 'cidermill', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions'],
    { ...options, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const given = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200', ...settings];
  const first = run(data, { folder, given, options });
  const servers = [first];
  const url = (database: string) => `postgres://cidermill@/${database}?host=${encodeURIComponent(folder)}`;
  const admin = new pg.Pool({ connectionString: url('postgres'), max: 1 });
  admin.on('error', () => undefined);
  await answers(admin, first);
  let databases = 0;
  return {
    url,
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
      const socket = mkdtempSync(join(folder, 's'));
      const data = join(socket, 'data');
      cpSync(of, data, { recursive: true });
      for (const path of [data, socket]) {
        chmodSync(path, 0o700);
        if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, path]);
      }
      const second = run(data, { folder: socket, given, options });
      servers.push(second);
      const address = `postgres://cidermill@/${database}?host=${encodeURIComponent(socket)}`;
      const pool = new pg.Pool({ connectionString: address, max: 1 });
      pool.on('error', () => undefined);
      await answers(pool, second);
      await pool.end();
      return address;
    },
    async stop() {
      await admin.end();
      for (const { server, ended } of servers) {
        server.kill('SIGINT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Running {
  /** Of its socket. */
  readonly folder: string;
  readonly given: readonly string[];
  readonly options: SpawnOptions;
}

function run(data: string, { folder, given, options }: Running) {
  const server = spawn(
    program('postgres'),
    ['-D', data, '-k', folder, '-h', '', ...given.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  server.stderr?.on('data', (piece: Buffer) => {
    log = (log + piece.toString()).slice(-20_000);
  });
  return { server, ended: once(server, 'exit'), log: () => log };
}

const answers = (pool: pg.Pool, { server, log }: ReturnType<typeof run>): Promise<void> =>
  until(async () => {
    if (server.exitCode !== null) throw new Error(`postgres ended: ${log()}`);
    return pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
  }, 'PostgreSQL answers');
