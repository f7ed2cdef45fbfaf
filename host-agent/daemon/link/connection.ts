// One WebSocket connection to the control plane: hello, welcome, messages, heartbeat.
import { type RawData, WebSocket } from 'ws';
import type { Clock } from '../../../shared/clock.js';
import { type Heartbeat, startHeartbeat } from '../../../shared/heartbeat.js';
import type { Log } from '../../../shared/log.js';
import {
  type AgentMessage,
  CLOSE,
  type ControlMessage,
  controlMessage,
  OLDEST_PROTOCOL,
  PROTOCOL_VERSION,
} from '../../../shared/protocol/index.js';
import { withRefused } from '../../../shared/protocol/kinds.js';
import { createSparseLog, type SparseLog } from '../../../shared/sparse-log.js';
import type { LinkLimits } from '../../limits.js';
import { isLoopback, type LinkAddress } from '../../system/request.js';

export type Hello = Omit<Extract<AgentMessage, { type: 'hello' }>, 'type' | 'protocol' | 'oldest_protocol'>;

type Welcome = Extract<ControlMessage, { type: 'welcome' }>;

/** Why a connection closed. */
export interface ConnectionEnd {
  code: number;
  reason: string;
  /** The control plane answered 401. */
  unauthorized: boolean;
  error: unknown;
  /** Monotonic time of the welcome; null when it never came. */
  upSince: number | null;
}

export interface ConnectionOptions {
  address: LinkAddress;
  /** Called when the connection is open; what it returns is sent in the hello message. */
  hello: () => Promise<Hello> | Hello;
  /** Called when the control plane has accepted the hello. */
  onUp: (hello: Hello) => void;
  /** @param whole nothing was left out of its lists */
  onMessage: (message: ControlMessage, whole: boolean) => void;
  /** Called once. */
  onClose: (end: ConnectionEnd) => void;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}

/** Opens a connection. The socket is used to send, to close and to measure what waits to be sent. */
export function openConnection(options: ConnectionOptions): WebSocket {
  const { clock, limits, log } = options;
  const ws = openSocket(options.address, limits());
  let heartbeat: Heartbeat | null = null;
  let sent: Hello | null = null;
  let upSince: number | null = null;
  let unauthorized = false;
  let problem: unknown = null;

  const welcomeDeadline = clock.setTimeout(() => {
    if (upSince !== null) return;
    problem = new Error('no welcome in time');
    ws.terminate();
  }, 2 * limits().handshakeMs);

  const refusals = createSparseLog(clock);
  const onWelcome = (message: Welcome) => {
    if (!sent) return;
    upSince = clock.monotonic();
    const { host_id, protocol } = message;
    log.info({ url: options.address.siteUrl, host_id, protocol }, 'link is up');
    heartbeat = startPings(ws, message, options);
    options.onUp(sent);
  };
  const onOpen = async () => {
    const hello = await options.hello();
    if (ws.readyState !== WebSocket.OPEN) return;
    sent = hello;
    const range = { protocol: PROTOCOL_VERSION, oldest_protocol: OLDEST_PROTOCOL };
    ws.send(JSON.stringify({ type: 'hello', ...range, ...hello, sent_at: clock.now() }));
  };
  ws.on('open', () => {
    onOpen().catch((error: unknown) => {
      problem = error;
      ws.close(CLOSE.internalError, 'cannot say hello');
    });
  });
  ws.on('message', (raw: RawData, binary: boolean) => {
    heartbeat?.heard();
    const parsed = binary ? null : parseMessage((raw as Buffer).toString('utf8'), log, refusals);
    if (!parsed) {
      problem = new Error('the control plane sent an invalid message');
      ws.close(CLOSE.invalidMessage, 'not a message of this protocol');
      return;
    }
    if (ws.readyState !== WebSocket.OPEN) return;
    const { message, whole } = parsed;
    if (message.type === 'welcome') onWelcome(message);
    else options.onMessage(message, whole);
  });
  ws.on('ping', () => heartbeat?.heard());
  ws.on('pong', () => heartbeat?.heard());
  ws.on('unexpected-response', (_request, response) => {
    unauthorized = response.statusCode === 401;
    problem = new Error(`the control plane answered ${response.statusCode}`);
    response.resume();
    ws.terminate();
  });
  ws.on('error', (error) => {
    problem ??= error;
  });
  ws.on('close', (code: number, reason: Buffer) => {
    heartbeat?.stop();
    welcomeDeadline.cancel();
    options.onClose({ code, reason: reason.toString(), unauthorized, error: problem, upSince });
  });
  return ws;
}

function openSocket({ siteUrl, credential, network }: LinkAddress, limits: LinkLimits): WebSocket {
  const agent = network?.upgradeAgent(new URL(siteUrl));
  return new WebSocket(`${siteUrl.replace(/^http/, 'ws').replace(/\/$/, '')}/link`, {
    headers: { authorization: `Bearer ${credential}` },
    perMessageDeflate: false,
    maxPayload: limits.messageBytes,
    handshakeTimeout: limits.handshakeMs,
    ...(agent === undefined ? {} : { agent }),
    ...(needsMask(siteUrl) ? {} : { generateMask: (mask: Buffer) => void mask.fill(0) }),
  });
}

/**
 * WebSocket masks protect proxies that read plain HTTP on the way. TLS and loopback connections have no such proxy, so
 * their mask is zero: masking and unmasking take a quarter of the processor time that a log needs (ADR 33).
 */
export const needsMask = (siteUrl: string): boolean => !siteUrl.startsWith('https:') && !isLoopback(siteUrl);

function startPings(ws: WebSocket, welcome: Welcome, { clock, log }: ConnectionOptions): Heartbeat {
  return startHeartbeat({
    clock,
    everyMs: welcome.heartbeat_ms,
    ping: () => ws.readyState === WebSocket.OPEN && ws.ping(),
    lost: () => {
      log.warn('the control plane does not answer pings; closing the link');
      ws.terminate();
    },
  });
}

/** Returns null for an invalid message. Its content is not logged, because it may be a secret. */
function parseMessage(text: string, log: Log, refusals: SparseLog): { message: ControlMessage; whole: boolean } | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    log.error('a message from the control plane is not JSON');
    return null;
  }
  const { result: parsed, refused } = withRefused(() => controlMessage.safeParse(json));
  if (refused.length > 0) {
    const records = refused.slice(0, 5);
    refusals.say('message', (more) =>
      log.error({ refused: refused.length, records, messages_before: more }, 'left out invalid records of a message'),
    );
  }
  if (parsed.success) return { message: parsed.data, whole: refused.length === 0 };
  const [issue] = parsed.error.issues;
  log.error({ path: issue?.path.join('.'), code: issue?.code }, 'invalid message from the control plane');
  return null;
}
