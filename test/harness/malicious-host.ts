// A host with a valid credential that can send anything over the real link, and honest hosts of two accounts.
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { registerLinkHttp } from '../../control-plane/hosts/link/http.js';
import { attachLinkSocket } from '../../control-plane/hosts/link/server.js';
import type { Limits } from '../../control-plane/platform/domain/limits.js';
import { createLog } from '../../shared/log.js';
import {
  type BuildResult,
  type ControlMessage,
  encodeOutput,
  type OutputHeader,
  PROTOCOL_VERSION,
} from '../../shared/protocol/index.js';
import { type BuildHost, startBuildHost } from './build-host.js';
import { columnsOf, tablesOf } from './columns.js';
import { type Harness, startHarness } from './harness.js';
import { HIDDEN } from './hidden-text.js';
import { plainResult } from './plain-result.js';
import { machine } from './samples.js';

export const inventory = { ...machine, hostname: 'evil', xcodes: [] as unknown[] };
export const hello = {
  type: 'hello',
  protocol: PROTOCOL_VERSION,
  oldest_protocol: PROTOCOL_VERSION,
  agent_version: '1.0.0',
  inventory,
  draining: false,
  builds: [] as unknown[],
  macs: [] as unknown[],
};
/** Acknowledges a desire that was never sent, so that the service closes the connection. */
const LAST = { type: 'desire_ack', sequence: 999_999 };

/** A connection without any checks of what is sent. */
export interface RawLink {
  send(message: unknown): void;
  /** Sends hello. Resolves when the host is accepted or refused. */
  greet(): Promise<void>;
  /** Sends output. Resolves when it is acknowledged or the link is closed. */
  output(header: Partial<OutputHeader> & { build_id: string }, data: Buffer): Promise<void>;
  /** Resolves on the next message of this type, or when the link is closed. */
  answered(type: ControlMessage['type']): Promise<void>;
  readonly received: ControlMessage[];
  /** Resolves with the close code when all earlier messages have been handled or refused. */
  end(): Promise<number>;
}

export interface MaliciousHost {
  readonly h: Harness;
  /** The malicious host. Its Macs belong to the first account. */
  readonly evil: BuildHost;
  /** Honest hosts: `honest` of the same account, `victim` of another. */
  readonly honest: BuildHost;
  readonly victim: BuildHost;
  /** Submits a build to a host's Mac and waits until it is running. Returns its id. */
  build(host: BuildHost): Promise<string>;
  connect(): Promise<RawLink>;
  /** Sends a request below /link/v1 with the credential of the malicious host. */
  request(path: string, init?: RequestInit & { duplex?: 'half' }): Promise<{ status: number; body: string }>;
  readonly port: number;
  /** Returns rows and logs of everything that does not belong to the malicious host. */
  others(): Promise<string>;
  /** Returns texts in the database with hidden characters, as `table.column: text`. */
  hiddenTexts(): Promise<string[]>;
  databaseBytes(): Promise<number>;
}

export async function startMaliciousHost(t: Test, limits: Partial<Limits> = {}): Promise<MaliciousHost> {
  const h = await startHarness(t, { limits });
  const evil = await startBuildHost(h, { macs: 2, tier: 'evil' });
  const honest = await startBuildHost(h, { macs: 1, tier: 'm4' });
  const victim = await startBuildHost(h, { macs: 1, tier: 'm2', accountId: h.other.id });
  const { server, port } = await openLink(t, h);
  const tables = await columnsByTable(h);

  return {
    h,
    evil,
    honest,
    victim,
    port,
    async build(host) {
      const key = host === victim ? h.other.key : h.keys.all;
      const [rental] = host.rentals;
      const submitted = await h.call('POST', '/builds', {
        body: { script: 'make', repo: 'o/n', rental_id: rental },
        key,
      });
      if (submitted.statusCode !== 201) throw new Error(submitted.body);
      await host.start();
      return submitted.json().id;
    },
    connect: () => connect(`ws://127.0.0.1:${port}/link`, evil.credential),
    async request(path, init = {}) {
      const headers = { authorization: `Bearer ${evil.credential}`, ...init.headers };
      const answer = await fetch(`${server}/link/v1${path}`, { ...init, headers });
      return { status: answer.status, body: await answer.text() };
    },
    async others() {
      const all: unknown[] = [];
      for (const { name, columns } of tables) {
        if (!columns.includes('build_id') && !columns.includes('account_id') && name !== 'hosts') continue;
        if (['sessions', 'api_keys', 'outbox', 'errors', 'events'].includes(name)) continue;
        const rows = await h.store.all<Record<string, unknown>>(`SELECT * FROM ${name} /* all */`);
        const foreign = rows.filter((row) => {
          if (name === 'hosts') return row.host_id === honest.hostId || row.host_id === victim.hostId;
          return 'host_id' in row ? row.host_id !== evil.hostId : row.account_id === h.other.id;
        });
        all.push([name, foreign.map((row) => JSON.stringify(row)).sort()]);
      }
      const builds = await h.store.all<{ build_id: string }>(
        'SELECT build_id FROM builds WHERE host_id <> :evil ORDER BY build_id',
        { evil: evil.hostId },
      );
      for (const { build_id } of builds) {
        const own = await h.call('GET', `/builds/${build_id}/log`);
        const log = own.statusCode === 200 ? own : await h.call('GET', `/builds/${build_id}/log`, { key: h.other.key });
        all.push(log.body);
      }
      return JSON.stringify(all, null, 1);
    },
    async hiddenTexts() {
      const found: string[] = [];
      for (const { name, columns } of tables) {
        for (const row of await h.store.all<Record<string, unknown>>(`SELECT * FROM ${name}`)) {
          for (const column of columns) {
            const value = row[column];
            const text = typeof value === 'string' ? readable(value) : '';
            if (HIDDEN.test(text)) found.push(`${name}.${column}: ${escape(text).slice(0, 200)}`);
          }
        }
      }
      return found;
    },
    async databaseBytes() {
      const size = await h.store.get<{ bytes: number }>(
        h.store.dialect === 'sqlite'
          ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
          : 'SELECT pg_database_size(current_database()) AS bytes',
      );
      return size?.bytes ?? 0;
    },
  };
}

/** Decodes JSON escapes. */
function readable(text: string): string {
  try {
    const strings: string[] = [];
    JSON.parse(text, (key, value: unknown) => {
      strings.push(key, String(value));
      return value;
    });
    return strings.join(' ');
  } catch {
    return text;
  }
}

async function openLink(t: Test, h: Harness) {
  const { hosts, platform, builds, macs, uploads } = h.parts;
  const { artifacts, runs } = builds;
  const stores = { storeArtifact: artifacts.store, storeArtifacts: artifacts.storeMany };
  const files = { assignment: runs.assignment, ...uploads.uploads, ...stores };
  const log = createLog('test', 'silent');
  const app = fastify({ forceCloseConnections: true });
  await registerLinkHttp(app, { ...h.parts.link, ...hosts, files, limits: h.limits, log });
  const link = attachLinkSocket(app.server, {
    ...platform,
    ...h.parts.link,
    ...hosts,
    builds: runs,
    macs: macs.macs,
    log,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.teardown(async () => {
    await link.close();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { server: `http://127.0.0.1:${port}`, port };
}

const columnsByTable = async ({ store }: Harness) =>
  Promise.all((await tablesOf(store)).map(async (name) => ({ name, columns: await columnsOf(store, name) })));

async function connect(url: string, credential: string): Promise<RawLink> {
  const ws = new WebSocket(url, {
    headers: { authorization: `Bearer ${credential}` },
    perMessageDeflate: false,
  });
  const received: ControlMessage[] = [];
  const closed = new Promise<number>((resolve) => ws.once('close', resolve));
  ws.setMaxListeners(0);
  ws.on('error', () => {});
  ws.on('message', (data: Buffer) => received.push(JSON.parse(data.toString('utf8'))));
  await new Promise((resolve) => ws.once('open', resolve));
  const send = (message: unknown) => {
    if (ws.readyState !== WebSocket.OPEN) return;
    ws.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  };
  const answered = (type: ControlMessage['type']) => {
    const heard = new Promise<void>((resolve) => {
      const read = (data: Buffer) => {
        if (JSON.parse(data.toString('utf8')).type !== type) return;
        ws.off('message', read);
        resolve();
      };
      ws.on('message', read);
    });
    return Promise.race([heard, closed.then(() => undefined)]);
  };
  return {
    send,
    async greet() {
      const welcomed = answered('welcome');
      send(hello);
      await welcomed;
    },
    async output(header, data) {
      const acknowledged = answered('output_ack');
      send(encodeOutput({ attempt: 1, offset: 0, ...header }, data));
      await acknowledged;
    },
    answered,
    received,
    async end() {
      send(LAST);
      return closed;
    },
  };
}

/** Returns the result of a build with this log, as a correct host reports it. */
export function resultOf(log: Buffer, more: Record<string, unknown> = {}): BuildResult {
  return plainResult({ exit_code: 1, script_started_at: 1, ended_at: 2, ...more }, log);
}
