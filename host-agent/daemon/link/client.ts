// The host's end of the WebSocket: connects, says hello, keeps the connection alive, connects again.
import { type RawData, WebSocket } from 'ws';
import { backoffMs } from '../../../shared/backoff.js';
import type { Clock, Timer } from '../../../shared/clock.js';
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
import type { LinkLimits } from '../../limits.js';
import { isLoopback, type LinkAddress } from '../../system/request.js';

/**
 * down: not connected, will try again. refused: the credential is not valid (any more), waits for another one.
 * mismatch: the two ends speak different protocols, tries again now and then.
 */
export type LinkState = 'down' | 'connecting' | 'up' | 'refused' | 'mismatch' | 'stopped';

export type Hello = Omit<Extract<AgentMessage, { type: 'hello' }>, 'type' | 'protocol' | 'oldest_protocol'>;

export interface LinkClient {
  start(): void;
  /** Says goodbye; resolves when the connection is closed. */
  stop(): Promise<void>;
  /** Connects now, whatever it was waiting for: the credential or the address has changed. */
  retry(): void;
  state(): LinkState;
  /** False when the link is down: the message is not kept. */
  send(message: AgentMessage): boolean;
  /**
   * False when the link is down: the frame is not kept.
   *
   * @param done called when the memory of a frame that was taken is not needed any more
   */
  sendOutput(frame: Buffer, done: () => void): boolean;
  /** Bytes that wait in the socket. */
  waiting(): number;
}

export function createLinkClient(deps: {
  /** Read anew for every connection. */
  address: () => LinkAddress;
  /** What to say of this host, at the moment of saying it. */
  hello: () => Promise<Hello> | Hello;
  onUp: (hello: Hello) => void;
  onDown: () => void;
  /** The control plane does not know this host any more. */
  onRefused: () => void;
  onMessage: (message: ControlMessage) => void;
  /** The socket has taken what waited. */
  onDrain: () => void;
  clock: Clock;
  limits: () => LinkLimits;
  log: Log;
}): LinkClient {
  const { address, hello, onUp, onDown, onRefused, onMessage, onDrain, clock, limits, log } = deps;
  let state: LinkState = 'stopped';
  let socket: WebSocket | null = null;
  let attempt = 0;
  let timer: Timer | null = null;

  const later = (ms: number) => {
    timer?.cancel();
    timer = clock.setTimeout(connect, ms);
  };

  const connect = () => {
    timer?.cancel();
    timer = null;
    if (socket || state === 'stopped') return;
    state = 'connecting';
    const { siteUrl, credential, network } = address();
    const agent = network?.upgradeAgent(new URL(siteUrl));
    const ws = new WebSocket(`${siteUrl.replace(/^http/, 'ws').replace(/\/$/, '')}/link`, {
      headers: { authorization: `Bearer ${credential}` },
      perMessageDeflate: false,
      maxPayload: limits().messageBytes,
      handshakeTimeout: limits().handshakeMs,
      ...(agent === undefined ? {} : { agent }),
      ...(needsMask(siteUrl) ? {} : { generateMask: (mask: Buffer) => void mask.fill(0) }),
    });
    socket = ws;
    run(ws, siteUrl);
  };

  const run = (ws: WebSocket, siteUrl: string) => {
    let heartbeat: Heartbeat | null = null;
    let said: Hello | null = null;
    let upSince: number | null = null;
    let refused = false;
    let problem: unknown = null;

    const welcomeDeadline = clock.setTimeout(() => {
      if (upSince !== null) return;
      problem = new Error('not welcomed in time');
      ws.terminate();
    }, 2 * limits().handshakeMs);

    const onWelcome = (message: Extract<ControlMessage, { type: 'welcome' }>) => {
      if (!said) return;
      upSince = clock.now();
      state = 'up';
      log.info({ url: siteUrl, host_id: message.host_id, protocol: message.protocol }, 'link is up');
      heartbeat = startHeartbeat({
        clock,
        everyMs: message.heartbeat_ms,
        ping: () => ws.readyState === WebSocket.OPEN && ws.ping(),
        lost: () => {
          log.warn('nothing heard of the control plane; cutting the link');
          ws.terminate();
        },
      });
      onUp(said);
    };

    ws.on('open', () => {
      Promise.resolve(hello())
        .then((words) => {
          if (ws.readyState !== WebSocket.OPEN) return;
          said = words;
          const range = { protocol: PROTOCOL_VERSION, oldest_protocol: OLDEST_PROTOCOL };
          ws.send(JSON.stringify({ type: 'hello', ...range, ...words }));
        })
        .catch((error: unknown) => {
          problem = error;
          ws.close(CLOSE.internalError, 'cannot say hello');
        });
    });
    ws.on('message', (raw: RawData, binary: boolean) => {
      heartbeat?.heard();
      const message = binary ? null : parse((raw as Buffer).toString('utf8'));
      if (!message) {
        problem = new Error('the control plane sent what is not valid');
        ws.close(CLOSE.invalidMessage, 'not a message of this protocol');
        return;
      }
      if (ws.readyState !== WebSocket.OPEN || socket !== ws) return;
      if (message.type === 'welcome') onWelcome(message);
      else onMessage(message);
    });
    ws.on('ping', () => heartbeat?.heard());
    ws.on('pong', () => heartbeat?.heard());
    ws.on('unexpected-response', (_request, response) => {
      refused = response.statusCode === 401;
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
      socket = null;
      if (upSince !== null) onDown();
      if (upSince !== null && clock.now() - upSince >= limits().stableMs) attempt = 0;
      ended({ code, reason: reason.toString(), refused, problem });
    });
  };

  const ended = (end: { code: number; reason: string; refused: boolean; problem: unknown }) => {
    if (state === 'stopped') return;
    if (end.refused || end.code === CLOSE.unauthorized) {
      state = 'refused';
      log.error('this host is unknown to the control plane or has been removed; enrol it again');
      onRefused();
      return;
    }
    const { reconnectBaseMs: baseMs, reconnectMaxMs: maxMs, mismatchRetryMs } = limits();
    if (end.code === CLOSE.protocolMismatch) {
      state = 'mismatch';
      const wait = mismatchRetryMs / 2 + backoffMs(0, { baseMs: mismatchRetryMs, maxMs: mismatchRetryMs });
      log.error({ wait_ms: wait }, `cannot work with this control plane: ${end.reason}`);
      return later(wait);
    }
    state = 'down';
    const wait = backoffMs(attempt++, { baseMs, maxMs });
    const { code, reason, problem } = end;
    // One outage is one warning, however often it is tried to end it.
    log[attempt > 1 ? 'info' : 'warn'](
      { code, reason, err: problem ?? undefined, attempt, wait_ms: wait },
      'link is down',
    );
    later(wait);
  };

  /** Null when it is no message; what stands in it is not told, it may be a secret. */
  const parse = (text: string): ControlMessage | null => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // Not JSON is no message.
      return null;
    }
    const parsed = controlMessage.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    log.error({ path: issue?.path.join('.'), code: issue?.code }, 'invalid message of the control plane');
    return null;
  };

  const open = (): WebSocket | null =>
    state === 'up' && socket?.readyState === WebSocket.OPEN ? socket : null;

  return {
    start() {
      if (state !== 'stopped') return;
      state = 'down';
      connect();
    },
    async stop() {
      state = 'stopped';
      timer?.cancel();
      const ws = socket;
      if (!ws) return;
      const closed = new Promise<void>((resolve) => ws.once('close', () => resolve()));
      const cut = clock.setTimeout(() => ws.terminate(), limits().goodbyeMs);
      ws.close(CLOSE.goingAway, 'the agent is stopping');
      await closed;
      cut.cancel();
    },
    retry() {
      if (state === 'stopped') return;
      attempt = 0;
      if (socket) socket.close(CLOSE.goingAway, 'connecting anew');
      else connect();
    },
    state: () => state,
    send(message) {
      const ws = open();
      ws?.send(JSON.stringify(message));
      return ws !== null;
    },
    sendOutput(frame, done) {
      const ws = open();
      ws?.send(frame, () => {
        done();
        onDrain();
      });
      return ws !== null;
    },
    waiting: () => socket?.bufferedAmount ?? 0,
  };
}

/**
 * WebSocket masking keeps proxies that read plain HTTP from being misled by what a client sends. Where no proxy can
 * read along it would only cost time, as much as everything else about a log's way: then every key is zero.
 */
function needsMask(siteUrl: string): boolean {
  return !siteUrl.startsWith('https:') && !isLoopback(siteUrl);
}
