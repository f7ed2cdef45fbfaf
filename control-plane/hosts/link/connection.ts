// One connected host: hello first, then messages in order, and concurrently one output stream per build.
import type { RawData, WebSocket } from 'ws';
import type { Clock, Timer } from '../../../shared/clock.js';
import { startHeartbeat } from '../../../shared/heartbeat.js';
import type { Log } from '../../../shared/log.js';
import {
  type AgentMessage,
  agentMessage,
  type BuildFact,
  CLOSE,
  type ControlMessage,
  decodeOutput,
} from '../../../shared/protocol/index.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Hosts } from '../app/hosts.js';
import type { LinkBuilds, LinkMacs } from '../app/link-ports.js';
import { type Backpressure, createBackpressure } from './backpressure.js';
import { createDesireSender, type DesireSender } from './desire-sender.js';
import { agreeOnProtocol, closeReason, InvalidMessage, parseMessage } from './incoming.js';
import { type AttemptRef, LogStream } from './log-stream.js';

/** Above `link_pending_bytes` (received, not yet stored) the socket is paused, so that TCP slows the host down. */
export type LinkLimits = Pick<
  Limits,
  | 'heartbeat_ms'
  | 'link_hello_ms'
  | 'link_goodbye_ms'
  | 'link_renew_ms'
  | 'link_message_bytes'
  | 'link_pending_bytes'
  | 'link_append_bytes'
  | 'link_builds'
>;

export interface ConnectionDeps {
  hosts: Pick<Hosts, 'connect' | 'report' | 'standing' | 'renew' | 'disconnect'>;
  builds: LinkBuilds;
  macs: LinkMacs;
  /** The service's clock, for times sent to the host. */
  clock: Clock;
  /** Real time, for network timeouts. */
  realClock: Clock;
  limits: LinkLimits;
  log: Log;
}

export interface Connection {
  readonly hostId: string;
  /** Call it when the host or its desired state may have changed. */
  poke(): void;
  /** Records that the connection is alive. */
  renew(): void;
  close(code: number, reason: string): void;
  /** Resolves when the disconnection has been recorded. */
  readonly ended: Promise<void>;
}

/** @param welcomed called when the host is connected, before its first facts are processed */
export function openConnection(
  socket: WebSocket,
  hostId: string,
  deps: ConnectionDeps,
  welcomed: (connection: Connection) => void,
): Connection {
  return new HostConnection(socket, hostId, deps, welcomed);
}

type HelloMessage = Extract<AgentMessage, { type: 'hello' }>;

class HostConnection implements Connection {
  readonly hostId: string;
  readonly ended: Promise<void>;
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  readonly #welcomed: (connection: Connection) => void;
  readonly #log: Log;
  readonly #desire: DesireSender;
  readonly #backpressure: Backpressure;
  /** By build and attempt. */
  readonly #streams = new Map<string, LogStream>();
  /** Identifier of this connection in the database; null until the host is welcomed. */
  #name: number | null = null;
  #greeted = false;
  #closing = false;
  #goodbye: Timer | null = null;
  /** Messages are handled sequentially. */
  #order: Promise<void> = Promise.resolve();

  constructor(
    socket: WebSocket,
    hostId: string,
    deps: ConnectionDeps,
    welcomed: (connection: Connection) => void,
  ) {
    const { realClock, limits } = deps;
    this.hostId = hostId;
    this.#socket = socket;
    this.#deps = deps;
    this.#welcomed = welcomed;
    this.#log = deps.log.child({ host_id: hostId });
    this.#backpressure = createBackpressure(socket, limits.link_pending_bytes);
    this.#desire = createDesireSender({
      pull: () => this.#pullDesire(),
      send: (message) => this.#send(message),
      failed: (error) => this.#log.error({ err: error }, 'cannot tell what the host should do'),
      clock: realClock,
    });
    const stopWatching = this.#watch();
    this.ended = new Promise((resolve) => {
      socket.once('close', (code: number) => {
        stopWatching();
        void this.#recordEnd(code).then(resolve);
      });
    });
  }

  poke(): void {
    void this.#check(this.#deps.hosts.standing).catch(this.#failed);
  }

  renew(): void {
    void this.#check(this.#deps.hosts.renew).catch(this.#failed);
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    const { realClock, limits } = this.#deps;
    this.#log.info({ code, reason }, 'closing the link');
    this.#socket.resume();
    this.#socket.close(code, closeReason(reason));
    this.#goodbye = realClock.setTimeout(() => this.#socket.terminate(), limits.link_goodbye_ms);
  }

  /** Listens to the socket and closes it after too long a silence. Returns a function that stops the timers. */
  #watch(): () => void {
    const { realClock, limits } = this.#deps;
    const socket = this.#socket;
    const heartbeat = startHeartbeat({
      clock: realClock,
      everyMs: limits.heartbeat_ms,
      ping: () => {
        // While the socket is paused, its pong cannot arrive.
        if (socket.isPaused) heartbeat.heard();
        if (socket.readyState === socket.OPEN) socket.ping();
      },
      lost: () => {
        this.#log.warn('nothing heard of the host; cutting the link');
        socket.terminate();
      },
    });
    const helloDeadline = realClock.setTimeout(() => {
      if (!this.#greeted) this.close(CLOSE.invalidMessage, 'no hello');
    }, limits.link_hello_ms);
    socket.on('message', (raw: RawData, binary: boolean) => {
      heartbeat.heard();
      if (!this.#closing) this.#receive(raw as Buffer, binary);
    });
    socket.on('ping', () => heartbeat.heard());
    socket.on('pong', () => heartbeat.heard());
    socket.on('error', (error) => this.#log.debug({ err: error }, 'link error'));
    return () => {
      heartbeat.stop();
      helloDeadline.cancel();
    };
  }

  #receive(bytes: Buffer, binary: boolean): void {
    if (binary) {
      try {
        this.#onOutput(bytes);
      } catch (error) {
        this.#failed(error);
      }
      return;
    }
    this.#backpressure.received(bytes.length);
    this.#order = this.#order
      .then(() => this.#onText(bytes.toString('utf8')))
      .catch(this.#failed)
      .then(() => this.#backpressure.dealtWith(bytes.length));
  }

  #onOutput(frame: Buffer): void {
    if (this.#name === null) throw new InvalidMessage('output comes after welcome');
    const { header, data } = decodeFrame(frame);
    this.#backpressure.received(data.length);
    this.#streamOf(header).output(header.offset, data);
  }

  async #onText(text: string): Promise<void> {
    if (this.#closing) return;
    if (this.#greeted) return this.#handle(parseMessage(agentMessage, text));
    this.#greeted = true;
    const hello = parseMessage(agentMessage, text, agreeOnProtocol);
    if (hello.type !== 'hello') throw new InvalidMessage('type: hello comes first');
    await this.#greet(hello);
  }

  async #greet(hello: HelloMessage): Promise<void> {
    const { hosts, clock, limits } = this.#deps;
    const protocol = agreeOnProtocol(hello);
    const { inventory, draining, agent_version: agentVersion } = hello;
    this.#name = await hosts.connect(this.hostId, { inventory, draining, agentVersion, protocol });
    if (this.#name === null) return this.close(CLOSE.unauthorized, REMOVED);
    if (this.#closing) return;
    this.#log.info({ protocol, agent_version: agentVersion, builds: hello.builds.length }, 'host connected');
    this.#welcomed(this);
    this.#send({
      ...{ type: 'welcome', protocol, host_id: this.hostId },
      ...{ heartbeat_ms: limits.heartbeat_ms, now: clock.now() },
    });
    await this.#takeFacts(hello, true);
    for (const fact of hello.builds) if (fact.state !== 'absent') this.#streamOf(fact).resume();
    this.#desire.poke();
  }

  async #handle(message: AgentMessage): Promise<void> {
    switch (message.type) {
      case 'hello':
        throw new InvalidMessage('type: hello comes once, first');
      case 'inventory':
        return this.#deps.hosts.report(this.hostId, message);
      case 'facts':
        return this.#takeFacts(message, false);
      case 'build_finished':
        return this.#streamOf(message).finished(message.result);
      case 'desire_ack':
        if (this.#desire.acknowledged(message.sequence)) return;
        throw new InvalidMessage('sequence: was never sent');
    }
  }

  /** @param all the message lists everything on the host */
  async #takeFacts(
    message: { builds: BuildFact[] } & Pick<HelloMessage, 'macs'>,
    all: boolean,
  ): Promise<void> {
    const { builds, macs } = this.#deps;
    if (message.builds.length > 0) await builds.facts(this.hostId, message.builds);
    if (message.macs.length > 0 || all) await macs.macFacts(this.hostId, message.macs, all);
  }

  #streamOf(ref: AttemptRef): LogStream {
    const { builds, realClock, limits } = this.#deps;
    const key = `${ref.build_id}/${ref.attempt}`;
    const present = this.#streams.get(key);
    if (present) return present;
    if (this.#streams.size >= limits.link_builds) throw new InvalidMessage('builds: too many at a time');
    const stream = new LogStream(ref, {
      ...{ hostId: this.hostId, builds, clock: realClock, log: this.#log },
      appendBytes: limits.link_append_bytes,
      send: (message) => this.#send(message),
      done: this.#backpressure.dealtWith,
      idle: () => this.#streams.delete(key),
    });
    this.#streams.set(key, stream);
    return stream;
  }

  async #pullDesire() {
    const { builds, macs } = this.#deps;
    let whole = true;
    const wanted = await builds.desiredBuilds(this.hostId, (buildId, error) => {
      whole = false;
      this.#log.error({ err: error, build_id: buildId }, 'cannot tell the host how a build starts');
    });
    return { builds: wanted, macs: await macs.desiredMacs(this.hostId), whole };
  }

  #send(message: ControlMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  readonly #failed = (error: unknown): void => {
    if (error instanceof InvalidMessage) {
      this.#log.warn({ code: error.closeCode, reason: error.message }, 'the host sent what is not valid');
      this.close(error.closeCode, error.message);
    } else {
      this.#log.error({ err: error }, "cannot deal with a host's message");
      this.close(CLOSE.internalError, 'internal error');
    }
  };

  async #check(look: Hosts['standing'] | Hosts['renew']): Promise<void> {
    if (this.#name === null || this.#closing) return;
    const standing = await look(this.hostId, this.#name);
    if (standing === 'removed') this.close(CLOSE.unauthorized, REMOVED);
    else if (standing === 'replaced') this.close(CLOSE.replaced, 'the host has connected again');
    else this.#desire.poke();
  }

  async #recordEnd(code: number): Promise<void> {
    this.#closing = true;
    this.#goodbye?.cancel();
    this.#desire.close();
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#log.info({ code }, 'host disconnected');
    // Wait for messages in flight, so that a connection that is just being recorded is recorded as ended too.
    await this.#order;
    try {
      if (this.#name !== null) await this.#deps.hosts.disconnect(this.hostId, this.#name);
    } catch (error) {
      this.#log.error({ err: error }, 'cannot record that the host has gone');
    }
  }
}

const REMOVED = 'this host has been removed';

function decodeFrame(frame: Buffer): ReturnType<typeof decodeOutput> {
  try {
    return decodeOutput(frame);
  } catch (error) {
    throw new InvalidMessage('output frame: bad header', CLOSE.invalidMessage, { cause: error });
  }
}
