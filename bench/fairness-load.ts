// The loud account of the bench `fairness`: sends the same text again and again on many connections. Each message of the
// parent is a new load, or 'none'; the answer 'loud' says that all connections have sent.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

export interface LoudLoad {
  readonly port: number;
  readonly connections: number;
  /** Whether it reads the answers. */
  readonly reads: boolean;
  /** Of requests in the text. */
  readonly requests: number;
  /** Holds the text. */
  readonly file: string;
}

const PAUSE_MS = 5;
// It stands for another machine: the measured ones do not wait for its processor.
setPriority(19);
let sockets = new Set<Socket>();

function stop(): void {
  const before = sockets;
  sockets = new Set();
  for (const socket of before) socket.destroy();
}

function start(load: LoudLoad): void {
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
    const answered = countAnswers();
    let ended = 0;
    socket.on('data', (chunk: Buffer) => {
      ended += answered(chunk);
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

process.on('message', (load: LoudLoad | 'none') => (load === 'none' ? stop() : start(load)));
