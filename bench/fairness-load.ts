// The loud account of the bench `fairness`: sends the same text again and again on many connections. Each message of the
// parent is a new load, or 'none'; the answer 'loud' says that all connections have sent, and the answer to 'none' what was
// answered.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setPriority } from 'node:os';
import { WebSocket } from 'ws';
import type { AgentMessage } from '../shared/protocol/index.js';

export interface LoudLoad {
  readonly port: number;
  readonly connections: number;
  /** Whether it reads the answers. */
  readonly reads: boolean;
  /** Of requests in the text. */
  readonly requests: number;
  /** Holds the text. */
  readonly file: string;
  /** Of a host, which sends the messages instead: the first one once, the second again and again. */
  readonly host?: { readonly credential: string; readonly messages: readonly [AgentMessage, AgentMessage] };
}

/** What came back of a load. */
export interface Answered {
  readonly answers: number;
  readonly bytes: number;
}

const PAUSE_MS = 5;
// It stands for another machine: the measured ones do not wait for its processor.
setPriority(19);
let sockets = new Set<{ destroy(): unknown }>();
let answered = { answers: 0, bytes: 0 };

function stop(): Answered {
  const before = sockets;
  sockets = new Set();
  for (const socket of before) socket.destroy();
  const result = answered;
  answered = { answers: 0, bytes: 0 };
  return result;
}

const MESSAGES_AT_ONCE = 100;

/** As many messages as the link takes, like a host that never rests. */
function startHost({ port }: LoudLoad, { credential, messages }: NonNullable<LoudLoad['host']>): void {
  stop();
  const [hello, facts] = messages.map((message) => JSON.stringify(message));
  const link = new WebSocket(`ws://127.0.0.1:${port}/link`, { headers: { authorization: `Bearer ${credential}` } });
  const own = sockets;
  own.add({ destroy: () => link.terminate() });
  link.on('error', () => undefined);
  const more = () => {
    if (own !== sockets) return;
    for (let i = 0; i < MESSAGES_AT_ONCE; i++) link.send(facts ?? '', i < MESSAGES_AT_ONCE - 1 ? undefined : more);
  };
  link.once('open', () => link.send(hello ?? ''));
  link.once('message', () => {
    more();
    process.send?.('loud');
  });
}

function startRequests(load: LoudLoad): void {
  stop();
  const text = readFileSync(load.file);
  const own = sockets;
  let sent = 0;
  const open = () => {
    if (own !== sockets) return;
    const socket = connect(load.port, '127.0.0.1');
    own.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      own.delete(socket);
      setTimeout(open, PAUSE_MS);
    });
    socket.once('connect', () => {
      socket.write(text);
      if (++sent === load.connections) process.send?.('loud');
    });
    if (!load.reads) return void socket.pause();
    const endsIn = countAnswers();
    let ended = 0;
    socket.on('data', (chunk: Buffer) => {
      const more = endsIn(chunk);
      ended += more;
      answered.answers += more;
      answered.bytes += chunk.length;
      if (ended < load.requests) return;
      ended = 0;
      socket.write(text);
    });
  };
  for (let i = 0; i < load.connections; i++) open();
}

/** Returns how many answers end in each chunk of a connection. */
function countAnswers(): (chunk: Buffer) => number {
  let left = 0;
  let head = '';
  return (chunk) => {
    let ended = 0;
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const taken = Math.min(left, chunk.length - at);
        left -= taken;
        at += taken;
        if (left === 0) ended++;
        continue;
      }
      const before = head.length;
      head += chunk.toString('latin1', at);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return ended;
      at += end + 4 - before;
      left = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
      head = '';
      if (left === 0) ended++;
    }
    return ended;
  };
}

process.on('message', (load: LoudLoad | 'none') => {
  if (load === 'none') process.send?.(stop());
  else if (load.host) startHost(load, load.host);
  else startRequests(load);
});
