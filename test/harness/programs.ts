// Several real programs of the control plane on one database of PostgreSQL and one folder of objects, and hosts that build.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { openPostgres } from '../../control-plane/platform/store/postgres/postgres.js';
import { createHostAgent, enrolHost } from '../../host-agent/index.js';
import { createLog } from '../../shared/log.js';
import { adminAt } from './admin.js';
import { freePort } from './free-port.js';
import { startNetwork } from './network.js';
import { startPostgres } from './postgres.js';
import { until } from './until.js';

export const OPERATOR = 'operator-token-of-this-test';
export const PASSWORD = 'correct horse battery';
const main = new URL('../../control-plane/main.js', import.meta.url).pathname;

export interface Program {
  readonly child: ChildProcess;
  readonly port: number;
  readonly url: string;
  readonly ended: Promise<number | null>;
}

/** Starts one with a data folder of its own below `root`; the first one makes the key that all have. */
export async function startProgram(
  t: Test,
  root: string,
  name: string,
  { key, env }: { readonly key: string | null; readonly env: Readonly<Record<string, string>> },
): Promise<Program> {
  const data = join(root, name);
  mkdirSync(data, { mode: 0o700 });
  if (key !== null) copyFileSync(key, join(data, 'secret.key'));
  const port = await freePort();
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      ...process.env,
      CIDERMILL_DATA: data,
      CIDERMILL_PORT: String(port),
      CIDERMILL_OPERATOR_TOKEN: OPERATOR,
      CIDERMILL_LOG_LEVEL: 'silent',
      ...env,
    },
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const ready = () =>
    fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
  await until(ready, `${name} is ready`, 120_000);
  return { child, port, url, ended };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { id?: string; error?: { code: string; message: string }; [field: string]: unknown };
}

export interface Account {
  readonly orgId: string;
  readonly key: string;
}

/** Sends a request to the program at this address. */
export async function send(
  url: string,
  method: string,
  path: string,
  given: { readonly body?: object; readonly headers?: object; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const { body, headers, signal } = given;
  const answer = await fetch(url + path, {
    method,
    headers: {
      'service-error-format': '2',
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(signal ? { signal } : {}),
  });
  const text = await answer.text();
  const isJson = /^application\/json/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : {} };
}

/** @param settings after the address of the database, e.g. `statement_timeout=1000` */
export async function startPrograms(
  t: Test,
  { count, env = {}, settings = '' }: { count: number; env?: Readonly<Record<string, string>>; settings?: string },
) {
  const cluster = await startPostgres();
  t.teardown(() => cluster.stop());
  const { url } = await cluster.createDatabase();
  const root = mkdtempSync(join(tmpdir(), 'cidermill-programs-'));
  t.teardown(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'objects'), { mode: 0o700 });
  const balancer = await startNetwork(t);
  const all = {
    CIDERMILL_DATABASE_URL: `${url.replace('@/', '@localhost/')}${settings && `&${settings}`}`,
    CIDERMILL_OBJECTS: pathToFileURL(join(root, 'objects')).href,
    CIDERMILL_SITE_URL: balancer.url,
    CIDERMILL_PAYMENT_PROVIDER: 'sandbox',
    CIDERMILL_FX_KRW_PER_USD: '1466.40',
    ...env,
  };
  const first = await startProgram(t, root, 'p0', { key: null, env: all });
  const key = join(root, 'p0', 'secret.key');
  let started = 1;
  const startAnother = () => startProgram(t, root, `p${started++}`, { key, env: all });
  const programs = [first, ...(await Promise.all(Array.from({ length: count - 1 }, startAnother)))];
  const store = await openPostgres(url, { connections: 3 });
  t.teardown(() => store.close());
  /** The program of that number. */
  const at = (to: number): Program => programs[to % programs.length] as Program;
  const admin = (...argv: string[]) => adminAt(first.url, OPERATOR)(...argv);
  return {
    programs,
    store,
    database: url,
    balancer,
    admin,
    at,
    startAnother,
    send: (to: number, ...rest: [method: string, path: string, given?: Parameters<typeof send>[3]]) =>
      send(at(to).url, ...rest),
    /** A request of an account's key to the API of the program of that number. */
    call: (account: Account, to: number, method: string, path: string, body?: object, headers: object = {}) =>
      send(at(to).url, method, `/api/v1${path}`, {
        ...(body ? { body } : {}),
        headers: { authorization: `Bearer ${account.key}`, ...headers },
      }),
    async createAccount(name: string): Promise<Account> {
      const { org_id: orgId } = await admin('org', 'create', '--name', name);
      const words = ['key', 'create', '--org', orgId, '--name', name, '--levels', 'read,build,manage'];
      return { orgId, key: (await admin(...words)).key };
    },
    /** Creates an owner with `PASSWORD`. */
    async createOwner({ orgId }: Account, email: string): Promise<void> {
      const body = { email, password: PASSWORD, org: orgId, role: 'owner' };
      const headers = { authorization: `Bearer ${OPERATOR}` };
      const made = await send(first.url, 'POST', '/api/operator/v1/user/create', { body, headers });
      if (made.status >= 300) throw new Error(JSON.stringify(made.body));
    },
    /** Starts the agent of a host with so many Macs of a tier of its own; it is connected to the program that the balancer leads to. */
    async addHost(tier: string, slots: number) {
      await admin('tier', 'add', '--tier', tier, '--price-won', '10000');
      const { token } = await admin('host', 'enroll', '--tier', tier, '--slots', String(slots));
      const dataDir = mkdtempSync(join(tmpdir(), 'cidermill-programs-host-'));
      t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
      const limits = { link: { reconnectMaxMs: 200 }, build: { diskReserveBytes: 0 } };
      await enrolHost({ dataDir, token, config: { control_plane: balancer.url, allow_unisolated: true, limits } });
      const agent = createHostAgent({ dataDir, log: createLog('agent', 'silent') });
      await agent.start();
      t.teardown(() => agent.stop());
      const connected = () =>
        store.get('SELECT 1 FROM hosts WHERE tier = :tier AND connected = 1 AND inventory IS NOT NULL', { tier });
      await until(async () => (await connected()) !== undefined, `the host of ${tier} is connected`, 60_000);
      return agent;
    },
  };
}

export type Programs = Awaited<ReturnType<typeof startPrograms>>;
