// One connected host: hello first, then messages in order, and concurrently one output stream per build.
import type { WebSocket } from 'ws';
import type { Timer } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import { type AgentMessage, type BuildFact, CLOSE, type ControlMessage } from '../../../shared/protocol/index.js';
import { ConnectionReplacedError } from '../app/host-connections.js';
import type { Hosts } from '../app/hosts.js';
import { type Backpressure, createBackpressure } from './backpressure.js';
import type { ConnectionDeps } from './connection-ports.js';
import { checkMachine } from './credential-conflicts.js';
import { createDesireSender, type DesireSender } from './desire-sender.js';
import { agreeOnProtocol, closeReason, decodeFrame, InvalidMessage } from './incoming.js';
import { createLogStreams, type LogStreams } from './log-stream.js';
import { watchSocket } from './socket-watch.js';

/** Facts about builds in one transaction, which holds the thread. */
const FACTS_AT_ONCE = 50;

export interface Connection {
  readonly hostId: string;
  /** The IP address that the host has connected from. */
  readonly address: string;
  /** Call it when the host or its desired state may have changed. */
  poke(): void;
  /** Records that the connection is alive. */
  renew(): void;
  close(code: number, reason: string): void;
  /** Resolves with the code of its end when the disconnection has been recorded. */
  readonly ended: Promise<number>;
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
  readonly address: string;
  readonly ended: Promise<number>;
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  readonly #welcomed: (connection: Connection) => void;
  readonly #log: Log;
  readonly #desire: DesireSender;
  readonly #backpressure: Backpressure;
  readonly #streams: LogStreams;
  /** Identifier of this connection in the database; null until the host is welcomed. */
  #name: number | null = null;
  #greeted = false;
  #closing = false;
  #goodbye: Timer | null = null;
  /** Messages are handled sequentially. */
  #order: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, hostId: string, deps: ConnectionDeps, welcomed: (connection: Connection) => void) {
    const { realClock, limits } = deps;
    this.hostId = hostId;
    this.address = deps.address;
    this.#socket = socket;
    this.#deps = deps;
    this.#welcomed = welcomed;
    this.#log = deps.log.child({ host_id: hostId });
    this.#backpressure = createBackpressure(socket, {
      bytes: limits.link_pending_bytes,
      messages: limits.link_pending_messages,
    });
    this.#streams = createLogStreams(limits.link_builds, {
      hostId,
      builds: {
        output: (...given) => this.#during(() => deps.builds.output(...given)),
        finished: (...given) => this.#during(() => deps.builds.finished(...given)),
      },
      clock: realClock,
      log: this.#log,
      appendBytes: limits.link_append_bytes,
      send: (message) => this.#send(message),
      done: this.#backpressure.dealtWith,
    });
    this.#desire = createDesireSender({
      pull: () => this.#pullDesire(),
      send: (message) => this.#send(message),
      failed: (error) => this.#log.error({ err: error }, 'cannot compute the desired state of the host'),
      clock: realClock,
    });
    const stopWatching = watchSocket(socket, {
      realClock,
      limits,
      log: this.#log,
      received: (bytes, binary) => {
        if (!this.#closing) this.#receive(bytes, binary);
      },
      helloIsDue: () => {
        if (!this.#greeted) this.close(CLOSE.invalidMessage, 'no hello');
      },
    });
    this.ended = new Promise((resolve) => {
      socket.once('close', (code: number) => {
        stopWatching();
        void this.#recordEnd(code).then(() => resolve(code));
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

  #receive(bytes: Buffer, binary: boolean): void {
    if (binary) {
      try {
        this.#onOutput(bytes);
      } catch (error) {
        this.#failed(error);
      }
      return;
    }
    this.#backpressure.received(bytes.length, 1);
    this.#order = this.#order
      .then(() => this.#turn())
      .then(() => this.#onText(bytes))
      .catch(this.#failed)
      .then(() => this.#backpressure.dealtWith(bytes.length, 1));
  }

  #onOutput(frame: Buffer): void {
    if (this.#name === null) throw new InvalidMessage('output comes after welcome');
    const { header, data } = decodeFrame(frame);
    this.#backpressure.received(data.length);
    this.#streams.of(header).output(header.offset, data, header.service);
  }

  /** Waits for the host's turn on the main thread. */
  #turn(): Promise<void> {
    return this.#deps.turns.next(`host ${this.hostId}`);
  }

  async #onText(bytes: Buffer): Promise<void> {
    if (this.#closing) return;
    const { message, refused } = await this.#deps.input.message(bytes, !this.#greeted);
    // Checking a large one takes a while.
    if (this.#closing) return;
    if (refused.length > 0) this.#warnOfRefused(message.type, refused);
    if (this.#greeted) return this.#during(() => this.#handle(message, refused.length === 0));
    this.#greeted = true;
    if (message.type !== 'hello') throw new InvalidMessage('type: hello comes first');
    await this.#greet(message, refused.length === 0);
  }

  #warnOfRefused(type: string, refused: readonly string[]): void {
    const records = refused.slice(0, LOGGED_REFUSALS);
    this.#deps.refusals.say(this.hostId, (more) =>
      this.#log.warn(
        { type, refused: refused.length, records, messages_before: more },
        'left out invalid records of a message',
      ),
    );
  }

  /** @param whole nothing was left out: what it does not name is not on the host */
  async #greet(hello: HelloMessage, whole: boolean): Promise<void> {
    const { hosts, clock, limits } = this.#deps;
    const protocol = agreeOnProtocol(hello);
    const { inventory, draining, health, agent_version: agentVersion } = hello;
    const state = { inventory, draining, health, clockSkewMs: this.#clockSkew(hello) };
    this.#name = await hosts.connect(this.hostId, { ...state, agentVersion, protocol });
    if (this.#name === null) return this.close(CLOSE.unauthorized, REMOVED);
    // Nothing may be awaited from here to the welcome: once the connection has its identifier, a desired state can be
    // sent, and a host ignores one that arrives before its welcome.
    if (this.#closing) return;
    this.#log.info({ protocol, agent_version: agentVersion, builds: hello.builds.length }, 'host connected');
    this.#welcomed(this);
    this.#send({
      type: 'welcome',
      protocol,
      host_id: this.hostId,
      heartbeat_ms: limits.heartbeat_ms,
      now: clock.now(),
    });
    await this.#during(async () => {
      await checkMachine(this.#deps, this.hostId, { machine: hello.machine ?? null, address: this.address });
      await hosts.addressReported(this.hostId, hello.address ?? null);
      await hosts.upgradeReported(this.hostId, hello.upgrade ?? null);
      await this.#takeFacts(hello, true, whole);
    });
    for (const fact of hello.builds) if (fact.state !== 'absent') this.#streams.of(fact).resume();
    this.#desire.poke();
  }

  /** Runs what the host has asked for; what it writes is written only while this is the host's last connection. */
  async #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#name === null) return work();
    try {
      return await this.#deps.hosts.during(this.hostId, this.#name, work);
    } catch (error) {
      if (error instanceof ConnectionReplacedError) this.close(CLOSE.replaced, error.message);
      throw error;
    }
  }

  /** Ahead is positive. Includes the time that the message took. */
  #clockSkew({ sent_at: sentAt }: { sent_at?: number | undefined }): number | undefined {
    return sentAt === undefined ? undefined : sentAt - this.#deps.realClock.now();
  }

  /** @param sound nothing was left out of it */
  async #handle(message: AgentMessage, sound: boolean): Promise<void> {
    switch (message.type) {
      case 'hello':
        throw new InvalidMessage('type: hello comes once, first');
      case 'inventory':
        return this.#deps.hosts.report(this.hostId, { ...message, clockSkewMs: this.#clockSkew(message) });
      case 'facts':
        return this.#takeFacts(message, false, sound);
      case 'build_finished':
        return this.#streams.of(message).finished(message.result);
      case 'desire_ack':
        if (this.#desire.acknowledged(message.sequence)) return;
        throw new InvalidMessage('sequence: was never sent');
    }
  }

  /**
   * @param hello the message is a hello, which has everything on the host
   * @param sound nothing was left out of it
   */
  async #takeFacts(
    message: { builds: BuildFact[] } & Pick<HelloMessage, 'macs' | 'images' | 'address' | 'upgrade'>,
    hello: boolean,
    sound = true,
  ): Promise<void> {
    const whole = hello && sound;
    const { builds, hosts, macs } = this.#deps;
    if (message.address && !hello) await hosts.addressReported(this.hostId, message.address);
    if (message.upgrade && !hello) await hosts.upgradeReported(this.hostId, message.upgrade);
    for (let at = 0; at < message.builds.length; at += FACTS_AT_ONCE) {
      if (at > 0) await this.#turn();
      await builds.facts(this.hostId, message.builds.slice(at, at + FACTS_AT_ONCE));
    }
    if (message.macs.length > 0 || whole) await macs.macFacts(this.hostId, message.macs, whole);
    if (message.images) await macs.imageFacts(this.hostId, message.images, sound);
  }

  async #pullDesire() {
    const { builds, hosts, macs } = this.#deps;
    let whole = true;
    const wanted = await builds.desiredBuilds(this.hostId, (buildId, error) => {
      whole = false;
      this.#log.error({ err: error, build_id: buildId }, 'cannot prepare the start of a build');
    });
    const images = await macs.desiredImages(this.hostId);
    const moveTo = await hosts.wantedAddress(this.hostId);
    const agent = await hosts.wantedAgent(this.hostId);
    return {
      builds: wanted,
      macs: await macs.desiredMacs(this.hostId),
      images,
      move_to: moveTo,
      agent,
      whole,
    };
  }

  #send(message: ControlMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  readonly #failed = (error: unknown): void => {
    if (error instanceof ConnectionReplacedError) return;
    if (error instanceof InvalidMessage) {
      this.#log.warn({ code: error.closeCode, reason: error.message }, 'the host sent an invalid message');
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
    this.#streams.close();
    this.#log.info({ code }, 'host disconnected');
    // Wait for messages in flight, so that a connection that is just being recorded is recorded as ended too.
    await this.#order;
    try {
      if (this.#name !== null) await this.#deps.hosts.disconnect(this.hostId, this.#name);
    } catch (error) {
      this.#log.error({ err: error }, 'cannot record that the host has disconnected');
    }
  }
}

const REMOVED = 'this host has been removed';
const LOGGED_REFUSALS = 5;
