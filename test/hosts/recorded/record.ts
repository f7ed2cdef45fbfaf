// Records the link between a control plane and an agent of one version, over the life of a host: images, Macs, builds with
// output and artifacts, a stop, a reset, a reconnection. Run by hand on Linux as root when a version is released (see
// docs/protocol.md): node dist/test/hosts/recorded/record.js ROOT FILE, where ROOT is a compiled checkout of that version.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { WebSocket, WebSocketServer } from 'ws';
import { createLog } from '../../../shared/log.js';
import { until } from '../../harness/until.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';
import { type Frame, writeFrames } from './frames.js';

const IMAGE = 'ghcr.io/acme/macos:26';
const run = promisify(execFile);

/** Forwards HTTP, and the link with every frame recorded. */
async function recordingProxy(target: () => string, frames: Frame[]) {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const server = createServer((incoming, answer) => {
    const { method = 'GET', headers, url = '/' } = incoming;
    const onward = request(new URL(url, target()), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  });
  server.on('upgrade', (incoming, socket, head) => {
    const { authorization = '' } = incoming.headers;
    const up = new WebSocket(`${target().replace('http', 'ws')}${incoming.url}`, {
      headers: { authorization },
    });
    up.once('open', () =>
      sockets.handleUpgrade(incoming, socket, head, (down) => {
        const join = (from: WebSocket, to: WebSocket, by: Frame['from']) => {
          from.on('message', (data: Buffer, binary) => {
            frames.push(
              binary ? { from: by, bytes: data.toString('base64') } : { from: by, json: JSON.parse(`${data}`) },
            );
            to.send(data, { binary });
          });
          from.on('close', () => to.close());
        };
        join(down, up, 'agent');
        join(up, down, 'control plane');
      }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    drop: () => {
      for (const client of sockets.clients) client.terminate();
    },
    close: () => server.close(),
  };
}

interface Desired {
  readonly build_id: string;
}

interface World {
  readonly root: string;
  readonly dir: string;
  readonly tart: TartHost;
  readonly atEnd: (() => unknown)[];
}

/** Starts both programs of ROOT, with a Mac of the account `acme`. */
async function open({ root, dir, tart, atEnd }: World, frames: Frame[]) {
  const load = <T>(file: string) => import(join(root, 'dist', file)) as Promise<T>;
  const { createControlPlane } = await load<typeof import('../../../control-plane/control-plane.js')>(
    'control-plane/control-plane.js',
  );
  const { runAdmin } = await load<typeof import('../../../control-plane/admin/cli.js')>('control-plane/admin/cli.js');
  const { createHostAgent, enrolHost } =
    await load<typeof import('../../../host-agent/index.js')>('host-agent/index.js');
  const log = createLog('record', 'silent');
  const data = join(dir, 'service');
  const service = await createControlPlane({
    env: { CIDERMILL_DATA: data, CIDERMILL_PORT: '0', CIDERMILL_HOST: '127.0.0.1' },
    log,
  });
  atEnd.unshift(() => service.stop());
  const admin = async <T>(...argv: string[]): Promise<T> => {
    const lines: string[] = [];
    const output = {
      write: (text: string) => lines.push(text),
      complain: (text: string) => process.stderr.write(`${text}\n`),
      readLine: async () => '',
    };
    if ((await runAdmin([...argv, '--data', data, '--json'], output)) !== 0) throw new Error(argv.join(' '));
    return JSON.parse(lines.at(-1) ?? '') as T;
  };
  await admin('tier', 'add', '--tier', 'm4', '--price-won', '1', '--image', IMAGE);
  const { token } = await admin<{ token: string }>('host', 'enroll', '--tier', 'm4', '--slots', '1');
  const proxy = await recordingProxy(() => service.siteUrl, frames);
  atEnd.unshift(() => proxy.close());
  const dataDir = join(dir, 'host');
  const limits = { bootPollMs: 100, watchMs: 300, growthBytes: 0, pullBytes: 0, reserveBytes: 0 };
  const config = {
    control_plane: proxy.url,
    driver: 'tart' as const,
    limits: { vm: limits },
    tart: { path: tart.path, home: tart.home, warm_spares: 0 },
  };
  await enrolHost({ dataDir, token, config, hostname: 'mac-1' });
  const agent = createHostAgent({ dataDir, log });
  await agent.start();
  atEnd.unshift(() => agent.stop());
  await admin('image', 'pull', '--tier', 'm4', '--wait');
  await admin('org', 'create', '--name', 'acme');
  const { key } = await admin<{ key: string }>(
    'key',
    'create',
    '--org',
    'acme',
    ...['--name', 'ci', '--levels', 'read,build,manage'],
  );
  await admin('rental', 'grant', '--org', 'acme', '--tier', 'm4');
  return { proxy, agent, siteUrl: service.siteUrl, key };
}

async function record(world: World): Promise<Frame[]> {
  const frames: Frame[] = [];
  const { proxy, agent, siteUrl, key } = await open(world, frames);
  const env = { ...process.env, CIDERMILL_URL: `${siteUrl}/api/v1`, CIDERMILL_API_KEY: key };
  const app = join(world.dir, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'README'), 'A small project.\n');
  const cidermill = async (...args: string[]) => {
    const bin = join(world.root, 'dist/client/bin.cjs');
    return run(process.execPath, [bin, ...args], { cwd: app, env }).catch((error: { code: number }) => error);
  };
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${siteUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { macs: { rental_id: string; state: string }[] };
  };
  const printed = (line: string) => frames.some(({ bytes }) => atob(bytes ?? '').includes(`${line}\n`));
  const mac = async () => (await call('GET', '/status')).macs[0];
  const ready = () => until(async () => (await mac())?.state === 'ready', 'the Mac is ready');
  await ready();
  await cidermill('build', '--script', 'echo built; echo kept > "$CIDERMILL_ARTIFACTS/report.txt"');
  const stopped = cidermill('build', '--script', 'echo waits; sleep 60');
  await until(() => printed('waits'), 'output of the build to be stopped');
  const started = frames.flatMap(({ json }) => (json?.type === 'desire' ? (json.builds as Desired[]) : []));
  await cidermill('cancel', started.at(-1)?.build_id ?? '');
  await stopped;
  const sleeping = cidermill('build', '--script', 'echo up; sleep 8');
  await until(() => printed('up'), 'its output');
  proxy.drop();
  await until(() => agent.status().link === 'up', 'reconnected');
  await sleeping;
  const { rental_id = '' } = (await mac()) ?? {};
  await call('POST', `/rentals/${rental_id}/reset`, {});
  await until(async () => (await mac())?.state !== 'ready', 'the reset');
  await ready();
  return frames;
}

const [root = '', file = ''] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'cidermill-record-'));
const atEnd: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })];
const ends = { teardown: (fn: () => unknown) => void atEnd.unshift(fn) } as Test;
try {
  const tart = await openTartHost(ends, { images: { [IMAGE]: {} } });
  const frames = await record({ root: resolve(root), dir, tart, atEnd });
  writeFrames(resolve(file), frames, [
    [hostname(), 'mac-1'],
    [release(), '6.12.0'],
    [dir, '/recorded'],
  ]);
  console.log(`${frames.length} frames`);
} finally {
  for (const end of atEnd) await end();
}
process.exit();
