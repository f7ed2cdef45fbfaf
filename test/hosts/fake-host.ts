// A scripted host that speaks the real link protocol over a real socket. It keeps what it knows over reconnects,
// as a host keeps it on its disk; nothing runs on it but what the test's script says.
import { createHash } from 'node:crypto';
import { WebSocket } from 'ws';
import {
  type AgentMessage,
  type BuildFact,
  type BuildResult,
  type BuildSpec,
  type ControlMessage,
  controlMessage,
  type DesiredBuild,
  encodeOutput,
  enrolResponse,
  type Inventory,
  type MacFact,
  OLDEST_PROTOCOL,
  PROTOCOL_VERSION,
  type StopReason,
} from '../../shared/protocol/index.js';
import { readyFact } from '../harness/desired-mac.js';

export interface FakeBuild {
  readonly spec: BuildSpec;
  /** By name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Resolves when the control plane wants this build stopped, or no longer wants it (superseded). */
  readonly stopped: Promise<StopReason>;
  /** Everything written so far. */
  log(): Buffer;
  /** Appends to the build's log and sends it when connected. */
  output(data: string | Buffer): void;
  /**
   * Ends the build and resolves when the control plane has acknowledged it with nothing left to resend.
   * Without `result` it is a plain exit with code 0; log length and hash are filled in.
   */
  finish(result?: Partial<BuildResult>): Promise<void>;
}

export interface FakeHostOptions {
  /** `http://127.0.0.1:PORT` */
  siteUrl: string;
  credential: string;
  /** Runs for each build that the control plane starts here. Without it builds start and stay running. */
  run?: (build: FakeBuild) => void | Promise<void>;
  /** What a desired Mac becomes; null: say nothing about it. Default: ready at once. */
  mac?: (desired: MacFact) => MacFact | null;
  inventory?: Partial<Inventory>;
  draining?: boolean;
  protocol?: { oldest: number; newest: number };
}

export interface FakeHost {
  /** Known after the first welcome. */
  hostId(): string;
  /** Every message of the control plane so far, over all connections. */
  readonly received: ControlMessage[];
  /** The first message, already received or to come, that `match` accepts. */
  message<M extends ControlMessage>(match: (message: ControlMessage) => message is M): Promise<M>;
  /** Why the last connection ended; resolves when it has. */
  closed(): Promise<{ code: number; reason: string }>;
  build(buildId: string, attempt?: number): FakeBuild | undefined;
  send(message: AgentMessage): void;
  /** Sends anything at all: for tests of what the control plane refuses. */
  sendRaw(data: string | Buffer): void;
  /** Cuts the connection without a goodbye; the builds stay. */
  drop(): void;
  /** Connects (again) and resolves with the welcome. */
  connect(): Promise<void>;
  /** Forgets a build, as a host does whose disk was lost. */
  lose(buildId: string): void;
  close(): Promise<void>;
}

/** Exchanges a one-time token and answers the credential. */
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

interface Held {
  build: FakeBuild;
  fact: BuildFact;
  log: Buffer[];
  logBytes: number;
  /** Next offset to send; null until the control plane has said where to go on. */
  sent: number | null;
  result: BuildResult | null;
  acknowledged: () => void;
  stop: (reason: StopReason) => void;
}

const FRAME_BYTES = 128 * 1024;

/** Like `startFakeHost`, not connected yet. */
export function createFakeHost(options: FakeHostOptions): FakeHost {
  const received: ControlMessage[] = [];
  const waiting = new Set<(message: ControlMessage) => void>();
  const held = new Map<string, Held>();
  const macs = new Map<string, MacFact>();
  let socket: WebSocket | null = null;
  let ended: Promise<{ code: number; reason: string }> = Promise.resolve({ code: 0, reason: '' });
  let hostId = '';

  const keyOf = (ref: { build_id: string; attempt: number }) => `${ref.build_id}/${ref.attempt}`;
  const open = () => socket?.readyState === WebSocket.OPEN;
  const send = (message: AgentMessage) => {
    if (open()) socket?.send(JSON.stringify(message));
  };
  const factOf = (h: Held): BuildFact => ({ ...h.fact, log_bytes: h.logBytes });
  const facts = () => [...held.values()].map(factOf);
  const sendFacts = (builds: BuildFact[] = facts()) =>
    send({ type: 'facts', builds, macs: [...macs.values()] });

  const pump = (h: Held) => {
    if (!open() || h.sent === null) return;
    if (h.sent < h.logBytes) {
      const all = h.log.length === 1 ? h.log[0]! : Buffer.concat(h.log);
      h.log = [all];
      while (h.sent < h.logBytes) {
        const data = all.subarray(h.sent, h.sent + FRAME_BYTES);
        const { build_id, attempt } = h.fact;
        socket?.send(encodeOutput({ build_id, attempt, offset: h.sent }, data));
        h.sent += data.length;
      }
    }
    if (h.result) {
      const { build_id, attempt } = h.fact;
      send({ type: 'build_finished', build_id, attempt, result: h.result });
    }
  };

  const start = (spec: BuildSpec, secrets: ReadonlyMap<string, string>) => {
    let stop: (reason: StopReason) => void = () => {};
    const stopped = new Promise<StopReason>((resolve) => {
      stop = resolve;
    });
    const fact: BuildFact = {
      build_id: spec.build_id,
      attempt: spec.attempt,
      state: 'running',
      log_bytes: 0,
      last_output_at: null,
    };
    const build: FakeBuild = {
      spec,
      secrets,
      stopped,
      log: () => Buffer.concat(h.log),
      output(data) {
        const bytes = Buffer.from(data);
        h.log.push(bytes);
        h.logBytes += bytes.length;
        h.fact.last_output_at = Date.now();
        pump(h);
      },
      finish(result = {}) {
        h.fact.state = 'finished';
        h.result = {
          outcome: 'exited',
          exit_code: 0,
          stop_reason: null,
          step: 'script',
          reason_code: null,
          fault: null,
          summary: null,
          script_started_at: Date.now(),
          ended_at: Date.now(),
          artifacts: [],
          warnings: [],
          ...result,
          log: {
            bytes: h.logBytes,
            sha256: createHash('sha256').update(Buffer.concat(h.log)).digest('hex'),
            omitted_bytes: 0,
            possibly_truncated: false,
            ...result.log,
          },
        };
        return new Promise<void>((resolve) => {
          h.acknowledged = resolve;
          pump(h);
        });
      },
    };
    const h: Held = {
      build,
      fact,
      log: [],
      logBytes: 0,
      sent: 0,
      result: null,
      acknowledged: () => {},
      stop,
    };
    held.set(keyOf(spec), h);
    sendFacts();
    Promise.resolve(options.run?.(build)).catch((error: unknown) => {
      throw new Error(`the script of build ${spec.build_id} failed`, { cause: error });
    });
  };

  const reconcileBuild = (desired: DesiredBuild) => {
    const h = held.get(keyOf(desired));
    if (h) {
      if (desired.want === 'stop') h.stop(desired.stop_reason ?? 'superseded');
      return;
    }
    if (desired.want === 'run' && desired.spec) {
      start(desired.spec, new Map((desired.secrets ?? []).map((s) => [s.name, s.value])));
      return;
    }
    const { build_id, attempt } = desired;
    sendFacts([{ build_id, attempt, state: 'absent', log_bytes: 0, last_output_at: null }]);
  };

  const onMessage = (message: ControlMessage) => {
    received.push(message);
    if (message.type === 'welcome') hostId = message.host_id;
    if (message.type === 'desire') {
      send({ type: 'desire_ack', sequence: message.sequence });
      macs.clear();
      for (const mac of message.macs) {
        const ready = readyFact(mac);
        const { slot_id } = mac;
        const fact = options.mac ? options.mac(ready) : ready;
        if (fact) macs.set(slot_id, fact);
      }
      sendFacts();
      for (const desired of message.builds) reconcileBuild(desired);
      const named = new Set(message.builds.map(keyOf));
      for (const [key, h] of held) if (!named.has(key)) h.stop('superseded');
    }
    if (message.type === 'output_ack') {
      const h = held.get(keyOf(message));
      if (h && (message.resend || h.sent === null)) {
        h.sent = message.next_offset;
        pump(h);
      }
    }
    if (message.type === 'finished_ack') {
      const h = held.get(keyOf(message));
      if (h && message.resend_from !== null) {
        h.sent = message.resend_from;
        pump(h);
      } else if (h) {
        held.delete(keyOf(message));
        h.acknowledged();
      }
    }
    for (const waiter of [...waiting]) waiter(message);
  };

  const connect = async () => {
    for (const h of held.values()) h.sent = null;
    const ws = new WebSocket(`${options.siteUrl.replace(/^http/, 'ws')}/link`, {
      headers: { authorization: `Bearer ${options.credential}` },
      perMessageDeflate: false,
    });
    socket = ws;
    ended = new Promise((resolve) => {
      ws.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    ws.on('message', (data: Buffer) => onMessage(controlMessage.parse(JSON.parse(data.toString('utf8')))));
    await new Promise<void>((resolve, reject) => {
      // After the connection is open a 'close' always follows, and tells what is needed.
      ws.on('error', reject);
      ws.once('open', () => resolve());
    });
    const welcomed = new Promise<boolean>((resolve) => {
      const onWelcome = (message: ControlMessage) => {
        if (message.type === 'welcome') done(true);
      };
      const done = (yes: boolean) => {
        waiting.delete(onWelcome);
        resolve(yes);
      };
      waiting.add(onWelcome);
      void ended.then(() => done(false));
    });
    send({
      type: 'hello',
      protocol: options.protocol?.newest ?? PROTOCOL_VERSION,
      oldest_protocol: options.protocol?.oldest ?? OLDEST_PROTOCOL,
      agent_version: '0.0.0-fake',
      inventory: {
        hostname: 'fake-host',
        os: 'FakeOS 1',
        arch: 'arm64',
        cpu_cores: 8,
        memory_bytes: 16 * 2 ** 30,
        disk_free_bytes: 100 * 2 ** 30,
        driver: 'local',
        xcodes: [],
        ...options.inventory,
      },
      draining: options.draining ?? false,
      builds: facts(),
      macs: [...macs.values()],
    });
    if (!(await welcomed)) {
      const { code, reason } = await ended;
      throw new Error(`not welcomed: ${code} ${reason}`);
    }
  };

  return {
    hostId: () => hostId,
    received,
    message<M extends ControlMessage>(match: (message: ControlMessage) => message is M): Promise<M> {
      const before = received.find(match);
      if (before) return Promise.resolve(before);
      return new Promise<M>((resolve) => {
        const waiter = (message: ControlMessage) => {
          if (!match(message)) return;
          waiting.delete(waiter);
          resolve(message);
        };
        waiting.add(waiter);
      });
    },
    closed: () => ended,
    build: (buildId, attempt = 1) => held.get(keyOf({ build_id: buildId, attempt }))?.build,
    send,
    sendRaw: (data) => socket?.send(data),
    drop: () => socket?.terminate(),
    connect,
    lose: (buildId) => {
      for (const [key, h] of held) if (h.fact.build_id === buildId) held.delete(key);
    },
    async close() {
      socket?.close();
      await ended;
    },
  };
}
