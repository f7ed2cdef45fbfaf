// A process of those who wait: parked long polls and followers of logs, over plain sockets.
import { connect, type Socket } from 'node:net';
import { machineMs, serve } from './child.js';

interface Request {
  readonly url: string;
  readonly key: string;
  readonly path: string;
}

const OPENED_AT_ONCE = 100;
const HEAD_END = '\r\n\r\n';

const sockets: Socket[] = [];
const problems: string[] = [];
let answers = 0;
let lines: number[] = [];
let closing = false;

const write = (socket: Socket, { key, path }: Request) =>
  socket.write(`GET /api/v1${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`);

async function open(request: Request): Promise<Socket> {
  const socket = connect({ port: Number(new URL(request.url).port), host: '127.0.0.1' });
  sockets.push(socket);
  socket.on('close', () => {
    if (!closing) problems.push(`${request.path}: the connection was closed`);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** Asks again whenever it is answered. */
async function poll(request: Request): Promise<void> {
  const socket = await open(request);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    const end = text.indexOf(HEAD_END);
    if (end < 0) return;
    const head = text.slice(0, end);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (text.length < end + HEAD_END.length + length) return;
    if (!/^HTTP\/1\.1 20[04]/.test(head)) problems.push(text);
    answers++;
    text = '';
    write(socket, request);
  });
  write(socket, request);
}

/** Reads lines `at TIME`, and notes how old they are. */
async function follow(request: Request): Promise<void> {
  const socket = await open(request);
  let rest = '';
  let headed = false;
  socket.on('data', (chunk: Buffer) => {
    const now = machineMs();
    const text = rest + chunk.toString('latin1');
    if (!headed && !text.startsWith('HTTP/1.1 200')) problems.push(text);
    headed = true;
    for (const [, at] of text.matchAll(/at (\d+\.?\d*)\n/g)) lines.push(now - Number(at));
    rest = text.slice(text.lastIndexOf('\n') + 1);
  });
  write(socket, request);
}

const openAll = async (requests: readonly Request[], one: (request: Request) => Promise<void>) => {
  for (let i = 0; i < requests.length; i += OPENED_AT_ONCE) {
    await Promise.all(requests.slice(i, i + OPENED_AT_ONCE).map(one));
  }
};

export interface Waited {
  readonly answers: number;
  /** From host to follower, ms. */
  readonly lines: readonly number[];
  readonly problems: readonly string[];
}

serve({
  poll: (requests: readonly Request[]) => openAll(requests, poll),
  follow: (requests: readonly Request[]) => openAll(requests, follow),
  /** What has happened since the last question. */
  waited(): Waited {
    const waited = { answers, lines, problems: problems.splice(0) };
    answers = 0;
    lines = [];
    return waited;
  },
  close() {
    closing = true;
    for (const socket of sockets) socket.destroy();
  },
});
