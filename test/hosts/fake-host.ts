// A scripted host that speaks the real link protocol over a real socket. Its state survives reconnects, like that of a
// host on its disk; only the test's script runs on it.
import { WebSocket } from 'ws';
import { systemClock } from '../../shared/clock.js';
import { startHeartbeat } from '../../shared/heartbeat.js';
import {
  type AgentMessage,
  type BuildFact,
  type ControlMessage,
  controlMessage,
  enrolResponse,
  type Inventory,
  type MacFact,
  OLDEST_PROTOCOL,
  PROTOCOL_VERSION,
} from '../../shared/protocol/index.js';
import { readyFact } from '../harness/desired-mac.js';
import { machine } from '../harness/samples.js';
import { createFakeBuilds, type FakeBuild } from './fake-builds.js';

export type { FakeBuild } from './fake-builds.js';

export interface FakeHostOptions {
  /** `http://127.0.0.1:PORT` */
  siteUrl: string;
  credential: string;
  /** Runs for each build that the control plane starts here. Without it builds start and stay running. */
  run?: (build: FakeBuild) => void | Promise<void>;
  /** Returns the fact of a desired Mac; null: no fact. Default: ready at once. */
  mac?: (desired: MacFact) => MacFact | null;
  inventory?: Partial<Inventory>;
  draining?: boolean;
  protocol?: { oldest: number; newest: number };
  /** The name of the site at another address, and the authorities to trust (PEM). */
  tls?: { name: string; ca: Buffer };
  /** The address that it connects from. */
  localAddress?: string;
  /** Which machine it says it is, 64 hex digits. Default: it does not say. */
  machine?: string;
  /** Ends a connection on which it has heard nothing for so long, as a host does. Default: never. */
  lostAfterMs?: number;
}

export interface FakeHost {
  /** Known after the first welcome. */
  hostId(): string;
  /** Every message of the control plane so far, over all connections. */
  readonly received: ControlMessage[];
  /** Returns the first message, received or future, that `match` accepts. */
  message<M extends ControlMessage>(match: (message: ControlMessage) => message is M): Promise<M>;
  /** Resolves when the last connection has closed, with the reason. */
  closed(): Promise<{ code: number; reason: string }>;
  build(buildId: string, attempt?: number): FakeBuild | undefined;
  send(message: AgentMessage): void;
  /** Sends arbitrary data, for tests of what the control plane refuses. */
  sendRaw(data: string | Buffer): void;
  /** Terminates the connection without closing it; the builds stay. */
  drop(): void;
  /** Connects (again) and resolves with the welcome. */
  connect(): Promise<void>;
  /** Forgets a build, like a host whose disk was lost. */
  lose(buildId: string): void;
  close(): Promise<void>;
}

/** Exchanges a one-time token for a credential. */
export async function enrolFakeHost(siteUrl: string, token: string, hostname = 'fake-host') {
  const response = await fetch(`${siteUrl}/link/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, hostname }),
  });
  if (response.status !== 201) throw new Error(`enrol: ${response.status} ${await response.text()}`);
  return enrolResponse.parse(await response.json());
}

/**
 * Connects a scripted host and resolves when the control plane has welcomed it.
 *
 * @example
 * const host = await startFakeHost({
 *   siteUrl, credential,
 *   run: async (build) => { build.output('hello\n'); await build.finish({ exit_code: 1 }); },
 * });
 */
export async function startFakeHost(options: FakeHostOptions): Promise<FakeHost> {
  const host = createFakeHost(options);
  await host.connect();
  return host;
}

/** Like `startFakeHost`, but not connected yet. */
export function createFakeHost(options: FakeHostOptions): FakeHost {
  const received: ControlMessage[] = [];
  const waiting = new Set<(message: ControlMessage) => void>();
  const macs = new Map<string, MacFact>();
  let socket: WebSocket | null = null;
  let ended: Promise<{ code: number; reason: string }> = Promise.resolve({ code: 0, reason: '' });
  let hostId = '';

  const isOpen = () => socket?.readyState === WebSocket.OPEN;
  const send = (message: AgentMessage) => {
    if (isOpen()) socket?.send(JSON.stringify(message));
  };
  const sendFacts = (facts: BuildFact[] = builds.facts()) =>
    send({ type: 'facts', builds: facts, macs: [...macs.values()] });
  const sendFrame = (frame: Buffer) => socket?.send(frame);
  const builds = createFakeBuilds({ isOpen, send, sendFrame, sendFacts, run: options.run });

  const follow = (desire: Extract<ControlMessage, { type: 'desire' }>) => {
    send({ type: 'desire_ack', sequence: desire.sequence });
    macs.clear();
    for (const mac of desire.macs) {
      const ready = readyFact(mac);
      const fact = options.mac ? options.mac(ready) : ready;
      if (fact) macs.set(mac.slot_id, fact);
    }
    sendFacts();
    builds.reconcile(desire.builds);
  };
  const onMessage = (message: ControlMessage) => {
    received.push(message);
    if (message.type === 'welcome') hostId = message.host_id;
    if (message.type === 'desire') follow(message);
    if (message.type === 'output_ack') builds.acknowledged(message);
    if (message.type === 'finished_ack') builds.finished(message);
    for (const waiter of [...waiting]) waiter(message);
  };
  const next = <M extends ControlMessage>(match: (message: ControlMessage) => message is M) =>
    new Promise<M>((resolve) => {
      const waiter = (message: ControlMessage) => {
        if (!match(message)) return;
        waiting.delete(waiter);
        resolve(message);
      };
      waiting.add(waiter);
    });

  const connect = async () => {
    builds.disconnected();
    const ws = new WebSocket(`${options.siteUrl.replace(/^http/, 'ws')}/link`, {
      headers: {
        authorization: `Bearer ${options.credential}`,
        ...(options.tls ? { host: options.tls.name } : {}),
      },
      perMessageDeflate: false,
      ...(options.lostAfterMs === undefined ? {} : { handshakeTimeout: options.lostAfterMs }),
      ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
      ...(options.tls ? { ca: options.tls.ca, servername: options.tls.name } : {}),
    });
    socket = ws;
    ended = new Promise((resolve) => {
      ws.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    ws.on('message', (data: Buffer) => onMessage(controlMessage.parse(JSON.parse(data.toString('utf8')))));
    await new Promise<void>((resolve, reject) => {
      // Once the connection is open, 'close' always follows an error.
      ws.on('error', reject);
      ws.once('open', () => resolve());
    });
    if (options.lostAfterMs !== undefined) endWhenSilent(ws, options.lostAfterMs);
    const welcome = next((message): message is Welcome => message.type === 'welcome');
    send(helloOf(options, builds.facts(), [...macs.values()]));
    if ((await Promise.race([welcome, ended.then(() => null)])) === null) {
      const { code, reason } = await ended;
      throw new Error(`not welcomed: ${code} ${reason}`);
    }
  };

  return {
    hostId: () => hostId,
    received,
    async message<M extends ControlMessage>(match: (message: ControlMessage) => message is M): Promise<M> {
      return received.find(match) ?? next(match);
    },
    closed: () => ended,
    build: (buildId, attempt = 1) => builds.find({ build_id: buildId, attempt }),
    send,
    sendRaw: (data) => socket?.send(data),
    drop: () => socket?.terminate(),
    connect,
    lose: builds.lose,
    async close() {
      socket?.close();
      await ended;
    },
  };
}

type Welcome = Extract<ControlMessage, { type: 'welcome' }>;

function endWhenSilent(ws: WebSocket, everyMs: number): void {
  const lost = () => ws.terminate();
  const { heard, stop } = startHeartbeat({ clock: systemClock, everyMs, ping: () => ws.ping(), lost });
  for (const event of ['message', 'ping', 'pong']) ws.on(event, heard);
  ws.once('close', stop);
}

function helloOf(options: FakeHostOptions, builds: BuildFact[], macs: MacFact[]): AgentMessage {
  return {
    type: 'hello',
    protocol: options.protocol?.newest ?? PROTOCOL_VERSION,
    oldest_protocol: options.protocol?.oldest ?? OLDEST_PROTOCOL,
    agent_version: '0.0.0-fake',
    inventory: {
      ...machine,
      hostname: 'fake-host',
      ...options.inventory,
    },
    draining: options.draining ?? false,
    ...(options.machine === undefined ? {} : { machine: options.machine }),
    builds,
    macs,
  };
}
