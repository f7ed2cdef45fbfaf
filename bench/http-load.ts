// A load generator that is cheaper than the measured service: raw keep-alive sockets, one request in flight on each,
// answers counted by their Content-Length.
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly requestsPerSecond: number;
  /** CPU time of the measured process, user and system, microseconds per request. */
  readonly cpuMicros: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends `request` (its whole text) over `connections` sockets for `ms`; throws on a response other than 2xx. */
export async function load(target: {
  port: number;
  pid: number;
  request: () => string;
  connections: number;
  ms: number;
}): Promise<Load> {
  const { port, pid, request, connections, ms } = target;
  let done = 0;
  let stop = false;
  const drive = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let have: Buffer = Buffer.alloc(0);
      const next = () => {
        if (stop) {
          socket.end();
          resolve();
        } else socket.write(request());
      };
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        have = have.length === 0 ? chunk : Buffer.concat([have, chunk]);
        const head = have.indexOf(HEAD_END);
        if (head < 0) return;
        const text = have.toString('latin1', 0, head);
        if (!text.startsWith('HTTP/1.1 2')) return reject(new Error(have.toString()));
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (have.length < head + 4 + length) return;
        have = Buffer.alloc(0);
        done++;
        next();
      });
      next();
    });
  const sockets = await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
          socket.once('error', reject);
        }),
    ),
  );
  const cpu = cpuMicros(pid);
  const started = process.hrtime.bigint();
  const all = Promise.all(sockets.map(drive));
  setTimeout(() => (stop = true), ms);
  await all;
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  return { requestsPerSecond: done / seconds, cpuMicros: (cpuMicros(pid) - cpu) / done };
}

/** Returns the CPU time of all threads of a process so far; 0 without /proc. */
export function cpuMicros(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1000, 0);
  } catch {
    return 0;
  }
}
