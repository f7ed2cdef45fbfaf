// A host that speaks the link as the agent does and runs nothing: its Macs are ready at once, its builds print and end after a
// given time. Plain JSON without schemas, so that ten thousand of them cost little.
import { createHash } from 'node:crypto';
import WebSocket from 'ws';
import type { BuildResult } from '../../shared/build.js';
import { plainResult } from '../../test/harness/plain-result.js';
import { machineMs } from './child.js';

/** Scripts that it knows; any other build ends after `buildMs`. */
export const HOLD = 'hold';
export const TALK = 'talk';

const LINES = 4;
const LINE = Buffer.from(`${'Compiling Example.swift in target Example '.repeat(3)}\n`);
const TALK_MS = 1_000;
const RECONNECT_MS = 2_000;

export interface HostOptions {
  readonly url: string;
  readonly credential: string;
  readonly name: string;
  readonly buildMs: number;
  /** Called when a build was received for the first time. */
  received(buildId: string, at: number): void;
  /** Called when a connection has ended or was refused, with its code: the host connects again, as the agent does. */
  reconnects(code: number): void;
}

interface Running {
  readonly attempt: number;
  readonly begunAt: number;
  log: Buffer;
  timer: NodeJS.Timeout | null;
  /** Null: it runs. */
  result: BuildResult | null;
  /** Output may be sent: the service has said from where it needs it. */
  asked: boolean;
}

interface Desired {
  readonly build_id: string;
  readonly attempt: number;
  readonly want: 'run' | 'stop';
  readonly spec: { readonly script: string } | null;
}

interface DesiredPlace {
  readonly slot_id: string;
  readonly rental_id: string;
  readonly generation: number;
  readonly revision: number;
  readonly xcode: string | null;
}

interface Message {
  readonly type: string;
  readonly sequence: number;
  readonly heartbeat_ms: number;
  readonly builds: readonly Desired[];
  readonly macs: readonly DesiredPlace[];
  readonly build_id: string;
  readonly next_offset: number;
  readonly resend: boolean;
  readonly resend_from: number | null;
}

export interface ScriptedHost {
  /** Resolves when its Macs were desired and reported as ready. */
  readonly ready: Promise<void>;
  ping(): void;
  close(): void;
}

export function openHost(options: HostOptions): ScriptedHost {
  const { url, credential, received, reconnects, buildMs } = options;
  const builds = new Map<string, Running>();
  const macs = new Map<string, object>();
  let socket: WebSocket | null = null;
  let closed = false;
  let isReady: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const isOpen = () => socket?.readyState === WebSocket.OPEN;
  const send = (message: object) => {
    if (isOpen()) socket?.send(JSON.stringify(message));
  };
  const sendFrom = (buildId: string, { attempt, log }: Running, offset: number) => {
    const header = Buffer.from(JSON.stringify({ build_id: buildId, attempt, offset, silent_ms: 0 }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(header.length);
    if (isOpen()) socket?.send(Buffer.concat([length, header, log.subarray(offset)]));
  };
  const print = (buildId: string, build: Running, data: Buffer) => {
    const offset = build.log.length;
    build.log = Buffer.concat([build.log, data]);
    if (build.asked) sendFrom(buildId, build, offset);
  };
  const sendEnd = (buildId: string, { attempt, result }: Running) =>
    send({ type: 'build_finished', build_id: buildId, attempt, result });
  const end = (buildId: string, build: Running, stopped: boolean) => {
    if (build.timer) clearTimeout(build.timer);
    const now = Date.now();
    const how = stopped ? ({ outcome: 'stopped', stop_reason: 'cancelled_by_user', exit_code: null } as const) : {};
    build.result = plainResult({ ended_at: now, script_started_at: now, ...how }, build.log);
    if (build.asked) sendEnd(buildId, build);
  };
  const factOf = (buildId: string, { attempt, result, begunAt, log }: Running) => ({
    build_id: buildId,
    attempt,
    state: result === null ? 'running' : 'finished',
    log_bytes: log.length,
    last_output_at: begunAt,
    silent_ms: 0,
    steps: [{ step: 'script', at: begunAt }],
  });
  const begin = ({ build_id: buildId, attempt, spec }: Desired) => {
    received(buildId, machineMs());
    const about = { attempt, begunAt: Date.now(), result: null, asked: true };
    const build: Running = { ...about, log: Buffer.alloc(0), timer: null };
    builds.set(buildId, build);
    send({ type: 'facts', builds: [factOf(buildId, build)], macs: [] });
    if (spec?.script === HOLD) return;
    const talks = spec?.script === TALK;
    let lines = 0;
    const next = () => {
      lines++;
      print(buildId, build, talks ? Buffer.from(`at ${machineMs()}\n`) : LINE);
      if (talks || lines < LINES) build.timer = setTimeout(next, talks ? TALK_MS : buildMs / LINES);
      else end(buildId, build, false);
    };
    build.timer = setTimeout(next, talks ? TALK_MS : buildMs / LINES);
  };
  const make = (wanted: readonly DesiredPlace[]) => {
    const facts = wanted.flatMap(({ slot_id, rental_id, generation, revision, xcode }) => {
      const fact = { slot_id, rental_id, generation, revision, xcode, state: 'ready' };
      const key = `${slot_id} ${generation} ${revision}`;
      if (macs.has(key)) return [];
      macs.set(key, { ...fact, progress: null, refused: null, error: null });
      return [macs.get(key)];
    });
    if (facts.length > 0) send({ type: 'facts', builds: [], macs: facts });
    if (macs.size > 0) isReady();
  };
  const want = ({ sequence, builds: wanted, macs: places }: Message) => {
    send({ type: 'desire_ack', sequence });
    make(places);
    for (const build of wanted) {
      const present = builds.get(build.build_id);
      if (!present && build.want === 'run' && build.spec !== null) begin(build);
      if (present?.result === null && build.want === 'stop') end(build.build_id, present, true);
    }
  };
  /** After a connection the service says from where it needs the log of each build. */
  const resend = ({ build_id: buildId, next_offset: offset }: Message) => {
    const build = builds.get(buildId);
    if (!build) return;
    build.asked = true;
    if (offset < build.log.length) sendFrom(buildId, build, offset);
    if (build.result !== null) sendEnd(buildId, build);
  };
  const take = (message: Message) => {
    if (message.type === 'desire') want(message);
    if (message.type === 'output_ack' && message.resend) resend(message);
    if (message.type !== 'finished_ack') return;
    if (message.resend_from === null) builds.delete(message.build_id);
    else resend({ ...message, next_offset: message.resend_from });
  };
  const connect = () => {
    for (const build of builds.values()) build.asked = false;
    socket = new WebSocket(`${url.replace('http', 'ws')}/link`, {
      headers: { authorization: `Bearer ${credential}` },
      perMessageDeflate: false,
      // As the agent does on a connection that no proxy reads.
      generateMask: (mask: Buffer) => void mask.fill(0),
    });
    socket.on('open', () => {
      const facts = [...builds].map(([buildId, build]) => factOf(buildId, build));
      send({ ...hello(options), builds: facts, macs: [...macs.values()] });
    });
    socket.on('message', (bytes: Buffer) => take(JSON.parse(bytes.toString()) as Message));
    // An error is followed by the end of the connection.
    socket.on('error', () => undefined);
    socket.on('close', (code: number) => {
      if (closed) return;
      reconnects(code);
      setTimeout(connect, RECONNECT_MS * (0.5 + Math.random()));
    });
  };
  connect();
  return {
    ready,
    ping() {
      if (isOpen()) socket?.ping();
    },
    close() {
      closed = true;
      for (const { timer } of builds.values()) if (timer) clearTimeout(timer);
      socket?.terminate();
    },
  };
}

/** As large as that of a Mac with three Xcodes and a doctor's report. */
function hello({ name, url }: HostOptions): object {
  const xcodes = ['26.1', '26.0', '16.4'].map((version, i) => ({
    version,
    build: `17B${i}`,
    developer_dir: `/Applications/Xcode-${version}.app/Contents/Developer`,
  }));
  const checks = [
    'disk',
    'sleep',
    'clock',
    'network',
    'filevault',
    'updates',
    'account',
    'launchd',
    'driver',
    'memory',
  ];
  const now = Date.now();
  return {
    type: 'hello',
    protocol: 3,
    oldest_protocol: 2,
    agent_version: '0.1.0',
    inventory: {
      hostname: name,
      os: 'macOS 26.1',
      macos: '26.1',
      chip: 'Apple M4',
      arch: 'arm64',
      cpu_cores: 10,
      memory_bytes: 2 ** 34,
      disk_free_bytes: 2 ** 39,
      disk_total_bytes: 2 ** 40,
      disk_reserve_bytes: 2 ** 34,
      driver: 'local',
      xcodes,
    },
    draining: false,
    images: [],
    address: { site_url: url, move: null },
    upgrade: { able: false, platform: 'darwin-arm64', attempt: null, version: null, state: 'idle', error: null },
    machine: createHash('sha256').update(name).digest('hex'),
    health: {
      checked_at: now,
      findings: checks.map((check) => ({ check, status: 'ok', found: `${check} is as it should be`, fix: null })),
    },
    sent_at: now,
  };
}
