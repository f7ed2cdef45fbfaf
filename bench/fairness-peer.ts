// The peer of the bench `fairness`: a server in a process of its own that takes the same requests, uses the same processor
// time for each and sends as many bytes back, so that what a loud account costs others only as load of the machine can be
// told from what it costs them in the service. Each message of the parent is the answer that it gives from then on.
import { createServer, type Socket } from 'node:net';

export interface PeerAnswer {
  readonly bytes: number;
  /** Processor time of each answer, ms. */
  readonly ms: number;
}

let given: PeerAnswer = { bytes: 0, ms: 0 };
let answer = Buffer.alloc(0);

function work(): void {
  const before = process.cpuUsage();
  for (let used = 0; used < given.ms * 1_000; ) {
    const { user, system } = process.cpuUsage(before);
    used = user + system;
  }
}

function serve(socket: Socket): void {
  let head = '';
  /** Bytes of the body that are still to come; null: in the head. */
  let left: number | null = null;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length || left === 0; ) {
      if (left === null) {
        const before = head.length;
        head += chunk.toString('latin1', at);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        at += end + 4 - before;
        left = Number(/content-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
        head = '';
      }
      const taken = Math.min(left, chunk.length - at);
      at += taken;
      left -= taken;
      if (left > 0) return;
      left = null;
      setImmediate(() => {
        work();
        socket.write(answer);
      });
    }
  });
}

process.on('message', (next: PeerAnswer) => {
  given = next;
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${next.bytes}\r\n\r\n`;
  answer = Buffer.concat([Buffer.from(head), Buffer.alloc(next.bytes, 'x')]);
});
const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' && address ? address.port : 0);
});
