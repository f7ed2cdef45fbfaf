// A host that speaks the link as the agent does and runs nothing: its Macs are ready at once, its builds print and end after a
// given time. Plain JSON without schemas, so that ten thousand of them cost little.
import { createHash } from 'node:crypto';
import WebSocket from 'ws';
import { plainResult } from '../../test/harness/plain-result.js';
import { machineMs } from './child.js';

/** Scripts that it knows; any other build ends after `buildMs`. */
export const HOLD = 'hold';
export const TALK = 'talk';

const LINES = 4;
const LINE = Buffer.from(`${'Compiling Example.swift in target Example '.repeat(3)}\n`);
const TALK_MS = 1_000;

export interface HostOptions {
  readonly url: string;
  readonly credential: string;
  readonly name: string;
  readonly buildMs: number;
  /** Called when a build was received for the first time. */
  received(buildId: string, at: number): void;
}

interface Running {
  readonly attempt: number;
  readonly log: Buffer[];
  bytes: number;
  timer: NodeJS.Timeout | null;
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
  readonly resend_from: number | null;
}

export interface ScriptedHost {
  /** Resolves when its Macs were desired and reported as ready. */
  readonly ready: Promise<void>;
  ping(): void;
  close(): void;
}

export function openHost(options: HostOptions): ScriptedHost {
  const { url, credential, received, buildMs } = options;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/link`, {
    headers: { authorization: `Bearer ${credential}` },
    perMessageDeflate: false,
    // As the agent does on a connection that no proxy reads.
    generateMask: (mask: Buffer) => void mask.fill(0),
  });
  const builds = new Map<string, Running>();
  const macs = new Map<string, string>();
  let closed = false;
  let isReady: () => void = () => {};
  let failed: (error: Error) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    failed = reject;
  });
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const print = (buildId: string, build: Running, data: Buffer) => {
    const header = Buffer.from(
      JSON.stringify({ build_id: buildId, attempt: build.attempt, offset: build.bytes, silent_ms: 0 }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32BE(header.length);
    build.log.push(data);
    build.bytes += data.length;
    socket.send(Buffer.concat([length, header, data]));
  };
  const end = (buildId: string, build: Running, stopped: boolean) => {
    if (build.timer) clearTimeout(build.timer);
    const log = Buffer.concat(build.log);
    const now = Date.now();
    const how = stopped ? ({ outcome: 'stopped', stop_reason: 'cancelled_by_user', exit_code: null } as const) : {};
    const result = plainResult({ ended_at: now, script_started_at: now, ...how }, log);
    send({ type: 'build_finished', build_id: buildId, attempt: build.attempt, result });
  };
  const begin = ({ build_id: buildId, attempt, spec }: Desired) => {
    received(buildId, machineMs());
    const build: Running = { attempt, log: [], bytes: 0, timer: null };
    builds.set(buildId, build);
    const at = Date.now();
    const steps = [{ step: 'script', at }];
    const fact = {
      build_id: buildId,
      attempt,
      state: 'running',
      log_bytes: 0,
      last_output_at: at,
      silent_ms: 0,
      steps,
    };
    send({ type: 'facts', builds: [fact], macs: [] });
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
    const other = wanted.filter((mac) => macs.get(mac.slot_id) !== `${mac.generation}/${mac.revision}`);
    if (other.length === 0) return;
    const facts = other.map((mac) => {
      const { slot_id, rental_id, generation, revision, xcode } = mac;
      macs.set(slot_id, `${generation}/${revision}`);
      return {
        slot_id,
        rental_id,
        generation,
        revision,
        xcode,
        state: 'ready',
        progress: null,
        refused: null,
        error: null,
      };
    });
    send({ type: 'facts', builds: [], macs: facts });
    isReady();
  };
  const want = ({ sequence, builds: wanted, macs: places }: Message) => {
    send({ type: 'desire_ack', sequence });
    make(places);
    for (const build of wanted) {
      const present = builds.get(build.build_id);
      if (!present && build.want === 'run' && build.spec !== null) begin(build);
      if (present && build.want === 'stop') end(build.build_id, present, true);
    }
  };
  socket.on('open', () => send(hello(options)));
  socket.on('message', (bytes: Buffer) => {
    const message = JSON.parse(bytes.toString()) as Message;
    if (message.type === 'desire') want(message);
    else if (message.type === 'finished_ack' && message.resend_from === null) builds.delete(message.build_id);
    else if (message.type === 'finished_ack') throw new Error(`the log of ${message.build_id} is not complete`);
  });
  const lost = (error: Error) => {
    if (closed) return;
    failed(error);
    throw error;
  };
  socket.on('error', lost);
  socket.on('close', (code: number) => lost(new Error(`the link of ${options.name} was closed with ${code}`)));
  return {
    ready,
    ping: () => socket.readyState === WebSocket.OPEN && socket.ping(),
    close() {
      closed = true;
      for (const { timer } of builds.values()) if (timer) clearTimeout(timer);
      socket.terminate();
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
    builds: [],
    macs: [],
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
