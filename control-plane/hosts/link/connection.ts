// One connected host: hello first, then messages in their order, output beside them, each build in its own lane.
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
import { createDesireSender } from './desire-sender.js';
import { agreeOnProtocol, closeReason, InvalidMessage, parseMessage } from './incoming.js';
import { createOutputLane, type OutputLane } from './output-lane.js';
import type { LinkBuilds, LinkMacs } from './ports.js';

/** Above `link_pending_bytes` (received, not yet stored) the socket is not read, so TCP slows the host down. */
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
  /** The service's clock, for what the host is told of time. */
  clock: Clock;
  /** Real time, for what watches the network. */
  realClock: Clock;
  limits: LinkLimits;
  log: Log;
}

export interface Connection {
  readonly hostId: string;
  /** The host's desire may have changed, or the host itself. */
  poke(): void;
  /** Records that the connection still lives. */
  renew(): void;
  close(code: number, reason: string): void;
  /** Resolves when the end has been recorded. */
  readonly ended: Promise<void>;
}

/** @param welcomed called once the host is connected, before its first facts are read */
export function openConnection(
  socket: WebSocket,
  hostId: string,
  deps: ConnectionDeps,
  welcomed: (connection: Connection) => void,
): Connection {
  const { hosts, builds, macs, clock, realClock, limits } = deps;
  const log = deps.log.child({ host_id: hostId });
  const lanes = new Map<string, OutputLane>();
  let name: number | null = null;
  let greeted = false;
  let closing = false;
  let pending = 0;
  let goodbye: Timer | null = null;
  let order: Promise<void> = Promise.resolve();

  const send = (message: ControlMessage) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
  };
  const close = (code: number, reason: string) => {
    if (closing) return;
    closing = true;
    log.info({ code, reason }, 'closing the link');
    socket.resume();
    socket.close(code, closeReason(reason));
    goodbye = realClock.setTimeout(() => socket.terminate(), limits.link_goodbye_ms);
  };

  const received = (bytes: number) => {
    pending += bytes;
    if (pending > limits.link_pending_bytes && !socket.isPaused) socket.pause();
  };
  const dealtWith = (bytes: number) => {
    pending -= bytes;
    if (pending < limits.link_pending_bytes / 2 && socket.isPaused) socket.resume();
  };

  const desire = createDesireSender({
    async pull() {
      let whole = true;
      const failed = (buildId: string, error: unknown) => {
        whole = false;
        log.error({ err: error, build_id: buildId }, 'cannot tell the host how a build starts');
      };
      const wanted = await builds.desiredBuilds(hostId, failed);
      return { builds: wanted, macs: await macs.desiredMacs(hostId), whole };
    },
    send,
    failed: (error) => log.error({ err: error }, 'cannot tell what the host should do'),
    clock: realClock,
  });

  const laneOf = ({ build_id, attempt }: { build_id: string; attempt: number }): OutputLane => {
    const key = `${build_id}/${attempt}`;
    const present = lanes.get(key);
    if (present) return present;
    if (lanes.size >= limits.link_builds) throw new InvalidMessage('builds: too many at a time');
    const idle = () => lanes.delete(key);
    const lane = createOutputLane({
      hostId,
      build_id,
      attempt,
      builds,
      send,
      done: dealtWith,
      idle,
      clock: realClock,
      appendBytes: limits.link_append_bytes,
      log,
    });
    lanes.set(key, lane);
    return lane;
  };

  /** @param all the message names everything that the host has */
  const takeFacts = async (message: { builds: BuildFact[] } & Pick<HelloMessage, 'macs'>, all: boolean) => {
    if (message.builds.length > 0) await builds.facts(hostId, message.builds);
    if (message.macs.length > 0 || all) await macs.macFacts(hostId, message.macs, all);
  };

  const greet = async (hello: HelloMessage) => {
    const protocol = agreeOnProtocol(hello);
    const { inventory, draining, agent_version: agentVersion } = hello;
    name = await hosts.connect(hostId, { inventory, draining, agentVersion, protocol });
    if (name === null) return close(CLOSE.unauthorized, 'this host has been removed');
    if (closing) return;
    log.info({ protocol, agent_version: agentVersion, builds: hello.builds.length }, 'host connected');
    welcomed(connection);
    const now = clock.now();
    send({ type: 'welcome', protocol, host_id: hostId, heartbeat_ms: limits.heartbeat_ms, now });
    await takeFacts(hello, true);
    for (const fact of hello.builds) if (fact.state !== 'absent') laneOf(fact).resume();
    desire.poke();
  };

  const handle = async (message: AgentMessage) => {
    switch (message.type) {
      case 'hello':
        throw new InvalidMessage('type: hello comes once, first');
      case 'inventory':
        return hosts.report(hostId, message);
      case 'facts':
        return takeFacts(message, false);
      case 'build_finished':
        return laneOf(message).finished(message.result);
      case 'desire_ack':
        if (!desire.acknowledged(message.sequence)) throw new InvalidMessage('sequence: was never sent');
    }
  };

  const onText = async (text: string) => {
    if (closing) return;
    if (greeted) return handle(parseMessage(agentMessage, text));
    greeted = true;
    const hello = parseMessage(agentMessage, text, agreeOnProtocol);
    if (hello.type !== 'hello') throw new InvalidMessage('type: hello comes first');
    await greet(hello);
  };

  const failed = (error: unknown) => {
    if (error instanceof InvalidMessage) {
      log.warn({ code: error.closeCode, reason: error.message }, 'the host sent what is not valid');
      close(error.closeCode, error.message);
    } else {
      log.error({ err: error }, "cannot deal with a host's message");
      close(CLOSE.internalError, 'internal error');
    }
  };

  const onFrame = (frame: Buffer) => {
    if (name === null) throw new InvalidMessage('output comes after welcome');
    const { header, data } = decodeFrame(frame);
    received(data.length);
    laneOf(header).output(header.offset, data);
  };

  socket.on('message', (raw: RawData, binary: boolean) => {
    heartbeat.heard();
    if (closing) return;
    const bytes = raw as Buffer;
    if (binary) {
      try {
        onFrame(bytes);
      } catch (error) {
        failed(error);
      }
      return;
    }
    received(bytes.length);
    order = order
      .then(() => onText(bytes.toString('utf8')))
      .catch(failed)
      .then(() => dealtWith(bytes.length));
  });
  socket.on('ping', () => heartbeat.heard());
  socket.on('pong', () => heartbeat.heard());
  socket.on('error', (error) => log.debug({ err: error }, 'link error'));

  const heartbeat = startHeartbeat({
    clock: realClock,
    everyMs: limits.heartbeat_ms,
    ping: () => {
      // A socket that we do not read cannot bring us its pong.
      if (socket.isPaused) heartbeat.heard();
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    lost: () => {
      log.warn('nothing heard of the host; cutting the link');
      socket.terminate();
    },
  });
  const helloDeadline = realClock.setTimeout(() => {
    if (!greeted) close(CLOSE.invalidMessage, 'no hello');
  }, limits.link_hello_ms);

  const ended = new Promise<void>((resolve) => {
    socket.once('close', (code: number) => {
      closing = true;
      heartbeat.stop();
      goodbye?.cancel();
      helloDeadline.cancel();
      desire.close();
      for (const lane of lanes.values()) lane.close();
      lanes.clear();
      log.info({ code }, 'host disconnected');
      // After what is under way: a connection that is just being recorded is recorded as ended too.
      const recorded = order.then(async () => {
        if (name !== null) await hosts.disconnect(hostId, name);
      });
      recorded
        .catch((error: unknown) => log.error({ err: error }, 'cannot record that the host has gone'))
        .then(resolve);
    });
  });

  const check = async (look: Hosts['standing'] | Hosts['renew']) => {
    if (name === null || closing) return;
    const standing = await look(hostId, name);
    if (standing === 'removed') close(CLOSE.unauthorized, 'this host has been removed');
    else if (standing === 'replaced') close(CLOSE.replaced, 'the host has connected again');
    else desire.poke();
  };

  const connection: Connection = {
    hostId,
    poke: () => void check(hosts.standing).catch(failed),
    renew: () => void check(hosts.renew).catch(failed),
    close,
    ended,
  };
  return connection;
}

type HelloMessage = Extract<AgentMessage, { type: 'hello' }>;

function decodeFrame(frame: Buffer): ReturnType<typeof decodeOutput> {
  try {
    return decodeOutput(frame);
  } catch (error) {
    throw new InvalidMessage('output frame: bad header', CLOSE.invalidMessage, { cause: error });
  }
}
