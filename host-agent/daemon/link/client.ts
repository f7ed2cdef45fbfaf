// Keeps one connection to the control plane open: connects, and reconnects with backoff.
import { WebSocket } from 'ws';
import { backoffMs } from '../../../shared/backoff.js';
import type { Timer } from '../../../shared/clock.js';
import { type AgentMessage, CLOSE } from '../../../shared/protocol/index.js';
import type { LinkAddress } from '../../system/request.js';
import { type ConnectionEnd, type ConnectionOptions, openConnection } from './connection.js';

/**
 * down: not connected, will reconnect. refused: the credential is not valid, or no longer; waits for `retry`.
 * mismatch: no common protocol version; retries every `mismatchRetryMs`.
 */
export const LINK_STATES = ['down', 'connecting', 'up', 'refused', 'mismatch', 'stopped'] as const;
export type LinkState = (typeof LINK_STATES)[number];

export type LinkClient = ReturnType<typeof createLinkClient>;

/** `hello` is called for every connection. */
export interface LinkClientDeps extends Omit<ConnectionOptions, 'address' | 'onClose'> {
  /** Read for every connection. */
  address: () => LinkAddress;
  onDown: () => void;
  /** The control plane rejected the credential. */
  onRefused: () => void;
  /** An output frame has been written to the socket. */
  onDrain: () => void;
  /** The state has changed; with the reason for the end of a connection, if one is known. */
  onState: (state: LinkState, reason: string | null) => void;
}

export function createLinkClient(deps: LinkClientDeps) {
  const { address, hello, onUp, onDown, onRefused, onMessage, onDrain, onState, clock, limits, log } = deps;
  let state: LinkState = 'stopped';
  let socket: WebSocket | null = null;
  /** Reconnections since the last stable connection. */
  let attempt = 0;
  let timer: Timer | null = null;

  const become = (next: LinkState, reason: string | null = null) => {
    state = next;
    onState(next, reason);
  };
  const connect = () => {
    timer?.cancel();
    timer = null;
    if (socket || state === 'stopped') return;
    become('connecting');
    socket = openConnection({
      address: address(),
      hello,
      onMessage,
      clock,
      limits,
      log,
      onUp(sent) {
        become('up');
        onUp(sent);
      },
      onClose,
    });
  };
  const connectAfter = (ms: number) => {
    timer?.cancel();
    timer = clock.setTimeout(connect, ms);
  };

  const onClose = (end: ConnectionEnd) => {
    socket = null;
    if (end.upSince !== null) onDown();
    if (end.upSince !== null && clock.monotonic() - end.upSince >= limits().stableMs) attempt = 0;
    if (state === 'stopped') return;
    if (end.unauthorized || end.code === CLOSE.unauthorized) {
      become('refused');
      log.error('the control plane does not know this host, or has removed it; enroll it again');
      onRefused();
      return;
    }
    const { reconnectBaseMs: baseMs, reconnectMaxMs: maxMs, mismatchRetryMs } = limits();
    if (end.code === CLOSE.protocolMismatch) {
      become('mismatch', end.reason);
      const wait_ms = mismatchRetryMs / 2 + backoffMs(0, { baseMs: mismatchRetryMs, maxMs: mismatchRetryMs });
      log.error({ wait_ms }, `no common protocol version with the control plane: ${end.reason}`);
      return connectAfter(wait_ms);
    }
    become('down', reasonOf(end));
    const wait_ms = backoffMs(attempt++, { baseMs, maxMs });
    // One warning per outage, not one per attempt to reconnect.
    log[attempt > 1 ? 'info' : 'warn']({ ...logged(end), attempt, wait_ms }, 'link is down');
    connectAfter(wait_ms);
  };

  const openSocket = (): WebSocket | null => (state === 'up' && socket?.readyState === WebSocket.OPEN ? socket : null);

  return {
    start() {
      if (state !== 'stopped') return;
      become('down');
      connect();
    },
    /** Closes the connection; resolves when it is closed. */
    async stop() {
      become('stopped');
      timer?.cancel();
      const ws = socket;
      if (!ws) return;
      const closed = new Promise<void>((resolve) => ws.once('close', () => resolve()));
      const deadline = clock.setTimeout(() => ws.terminate(), limits().goodbyeMs);
      ws.close(CLOSE.goingAway, 'the agent is stopping');
      await closed;
      deadline.cancel();
    },
    /** Connects now, without waiting for the backoff: the credential or the address has changed. */
    retry() {
      if (state === 'stopped') return;
      attempt = 0;
      if (socket) socket.close(CLOSE.goingAway, 'reconnecting');
      else connect();
    },
    state: () => state,
    /** Returns false when the link is down; the message is then not kept. */
    send(message: AgentMessage) {
      const ws = openSocket();
      ws?.send(JSON.stringify(message));
      return ws !== null;
    },
    /** Returns false when the link is down; the frame is then not kept. */
    sendOutput(frame: Buffer) {
      const ws = openSocket();
      ws?.send(frame, () => onDrain());
      return ws !== null;
    },
    /** Returns the number of bytes buffered in the socket. */
    waiting: () => socket?.bufferedAmount ?? 0,
  };
}

const logged = ({ code, reason, error }: ConnectionEnd) => ({ code, reason, err: error ?? undefined });

/** Returns why a connection ended, for people. */
function reasonOf({ error, reason, code }: ConnectionEnd): string {
  if (error instanceof Error) return error.message || error.name;
  return reason === '' ? `connection closed (${code})` : reason;
}
