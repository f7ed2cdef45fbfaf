// A connection between the service and a PostgreSQL server over TCP, which a test can hold, watch and cut.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

/** What becomes of a piece that the service sends. cut: both ends close; unanswered: both close when the server answers. */
export type Verdict = 'pass' | 'drop' | 'cut' | 'unanswered';

export interface Cable {
  readonly url: string;
  /** Awaited before each piece of the service goes on. */
  watch(sent: string): Promise<Verdict> | Verdict;
  /** Awaited before each connection goes on; false: it is closed. */
  admit(): Promise<boolean> | boolean;
  /** Closes all connections, and takes no new ones until `join`. */
  cut(): void;
  join(): Promise<void>;
  /** New connections lead to another server. */
  leadTo(url: string): void;
  /** Connections so far, and those that are open. */
  came(): number;
  open(): number;
}

const socketOf = (url: string) =>
  join(new URL(url.replace('@/', '@localhost/')).searchParams.get('host') ?? '', '.s.PGSQL.5432');

/** @param password that the server does not ask for */
export async function startPostgresCable(t: Test, url: string, password = ''): Promise<Cable> {
  const { pathname, username } = new URL(url);
  let socket = socketOf(url);
  const ends = new Set<Socket>();
  let came = 0;
  let closed = 0;

  const pass = (near: Socket) => {
    const far = connect(socket);
    const cutBoth = () => {
      near.destroy();
      far.destroy();
    };
    for (const end of [near, far]) {
      ends.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        ends.delete(end);
        cutBoth();
      });
    }
    let unanswered = false;
    near.on('data', async (piece: Buffer) => {
      near.pause();
      const verdict = await cable.watch(piece.toString('latin1'));
      if (verdict === 'cut') return cutBoth();
      unanswered = verdict === 'unanswered';
      if (verdict !== 'drop') far.write(piece);
      near.resume();
    });
    far.on('data', (piece) => (unanswered ? cutBoth() : near.write(piece)));
  };
  const server = createServer(async (near) => {
    came++;
    ends.add(near);
    near.on('error', () => undefined);
    near.once('close', () => {
      closed++;
      ends.delete(near);
    });
    if (!(await cable.admit())) near.destroy();
    else if (!near.destroyed) pass(near);
  });
  const attach = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await attach(0);
  const { port } = server.address() as AddressInfo;
  const cable: Cable = {
    url: `postgres://${username || 'cidermill'}${password && `:${password}`}@127.0.0.1:${port}${pathname}`,
    watch: () => 'pass',
    admit: () => true,
    cut() {
      server.close();
      for (const end of ends) end.destroy();
    },
    join: () => attach(port),
    leadTo(other) {
      socket = socketOf(other);
    },
    came: () => came,
    open: () => came - closed,
  };
  t.teardown(cable.cut);
  return cable;
}
