// The builds of a scripted host: their logs, results, and what has been sent of them.
import {
  type AgentMessage,
  type BuildFact,
  type BuildResult,
  type BuildSpec,
  type ControlMessage,
  type DesiredBuild,
  encodeOutput,
  type StopReason,
} from '../../shared/protocol/index.js';
import { plainResult } from '../harness/plain-result.js';

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

interface Held {
  readonly build: FakeBuild;
  readonly fact: BuildFact;
  log: Buffer[];
  logBytes: number;
  /** Next offset to send; null until the control plane has said where to continue. */
  sent: number | null;
  result: BuildResult | null;
  acknowledged: () => void;
  stop: (reason: StopReason) => void;
}

type Ref = { build_id: string; attempt: number };
type Ack<T> = Extract<ControlMessage, { type: T }>;

export interface FakeBuilds {
  facts(): BuildFact[];
  find(ref: Ref): FakeBuild | undefined;
  /** Starts and stops builds as desired. */
  reconcile(desired: readonly DesiredBuild[]): void;
  acknowledged(ack: Ack<'output_ack'>): void;
  finished(ack: Ack<'finished_ack'>): void;
  disconnected(): void;
  lose(buildId: string): void;
}

interface Link {
  isOpen: () => boolean;
  send: (message: AgentMessage) => void;
  sendFrame: (frame: Buffer) => void;
  sendFacts: (builds?: BuildFact[]) => void;
  run: ((build: FakeBuild) => void | Promise<void>) | undefined;
}

const FRAME_BYTES = 128 * 1024;

const keyOf = (ref: Ref) => `${ref.build_id}/${ref.attempt}`;
const factOf = (held: Held): BuildFact => ({ ...held.fact, log_bytes: held.logBytes });

export function createFakeBuilds(link: Link): FakeBuilds {
  const builds = new Map<string, Held>();

  const reconcileBuild = (desired: DesiredBuild) => {
    const held = builds.get(keyOf(desired));
    if (held) {
      if (desired.want === 'stop') held.stop(desired.stop_reason ?? 'superseded');
      return;
    }
    if (desired.want === 'run' && desired.spec) {
      const { spec } = desired;
      const secrets = new Map((desired.secrets ?? []).map(({ name, value }) => [name, value]));
      const started = hold(spec, secrets, link);
      builds.set(keyOf(spec), started);
      link.sendFacts();
      Promise.resolve(link.run?.(started.build)).catch((error: unknown) => {
        throw new Error(`the script of build ${spec.build_id} failed`, { cause: error });
      });
      return;
    }
    const { build_id, attempt } = desired;
    link.sendFacts([{ build_id, attempt, state: 'absent', log_bytes: 0, last_output_at: null }]);
  };

  return {
    facts: () => [...builds.values()].map(factOf),
    find: (ref) => builds.get(keyOf(ref))?.build,
    reconcile(desired) {
      for (const build of desired) reconcileBuild(build);
      const named = new Set(desired.map(keyOf));
      for (const [key, held] of builds) if (!named.has(key)) held.stop('superseded');
    },
    acknowledged(ack) {
      const held = builds.get(keyOf(ack));
      if (!held || !(ack.resend || held.sent === null)) return;
      held.sent = ack.next_offset;
      pump(held, link);
    },
    finished(ack) {
      const held = builds.get(keyOf(ack));
      if (!held) return;
      if (ack.resend_from === null) {
        builds.delete(keyOf(ack));
        held.acknowledged();
        return;
      }
      held.sent = ack.resend_from;
      pump(held, link);
    },
    disconnected() {
      for (const held of builds.values()) held.sent = null;
    },
    lose(buildId) {
      for (const [key, held] of builds) if (held.fact.build_id === buildId) builds.delete(key);
    },
  };
}

/** Sends the rest of the log, then the result. */
function pump(held: Held, { isOpen, send, sendFrame }: Link): void {
  if (!isOpen() || held.sent === null) return;
  const { build_id, attempt } = held.fact;
  if (held.sent < held.logBytes) {
    const all = held.log.length === 1 ? held.log[0]! : Buffer.concat(held.log);
    held.log = [all];
    while (held.sent < held.logBytes) {
      const data = all.subarray(held.sent, held.sent + FRAME_BYTES);
      sendFrame(encodeOutput({ build_id, attempt, offset: held.sent }, data));
      held.sent += data.length;
    }
  }
  if (held.result) send({ type: 'build_finished', build_id, attempt, result: held.result });
}

function hold(spec: BuildSpec, secrets: ReadonlyMap<string, string>, link: Link): Held {
  let stop: (reason: StopReason) => void = () => {};
  const stopped = new Promise<StopReason>((resolve) => {
    stop = resolve;
  });
  const { build_id, attempt } = spec;
  const build: FakeBuild = {
    spec,
    secrets,
    stopped,
    log: () => Buffer.concat(held.log),
    output(data) {
      const bytes = Buffer.from(data);
      held.log.push(bytes);
      held.logBytes += bytes.length;
      held.fact.last_output_at = Date.now();
      pump(held, link);
    },
    finish(result = {}) {
      held.fact.state = 'finished';
      held.result = resultOf(held, result);
      return new Promise<void>((resolve) => {
        held.acknowledged = resolve;
        pump(held, link);
      });
    },
  };
  const held: Held = {
    build,
    fact: { build_id, attempt, state: 'running', log_bytes: 0, last_output_at: null },
    log: [],
    logBytes: 0,
    sent: 0,
    result: null,
    acknowledged: () => {},
    stop,
  };
  return held;
}

/** A plain exit with code 0, overridden by `result`. */
function resultOf(held: Held, { log, ...result }: Partial<BuildResult>): BuildResult {
  const times = { script_started_at: Date.now(), ended_at: Date.now() };
  const plain = plainResult({ ...times, ...result }, Buffer.concat(held.log));
  return { ...plain, log: { ...plain.log, bytes: held.logBytes, ...log } };
}
