// A "guest" that is this machine: programs run as processes with a temporary home.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { execTransport, type GuestConnection, type GuestTransport } from '../../../host-agent/guest/transport.js';

export interface TestGuest {
  transport: GuestTransport;
  home: string;
  /** A folder beside the home, for this host's side. */
  host: string;
  /** All command lines that were opened. */
  opened: string[][];
  /** Connections that are open now. */
  connections: Set<GuestConnection>;
}

export const GUEST_ENV = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  USER: os.userInfo().username,
};

export function openGuest(t: Test): TestGuest {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cidermill-guest-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const home = path.join(folder, 'home');
  const host = path.join(folder, 'host');
  for (const made of [home, host]) mkdirSync(made);
  const opened: string[][] = [];
  const connections = new Set<GuestConnection>();
  const commands = execTransport(([file = '', ...args]) => ({
    file,
    args,
    env: { ...GUEST_ENV, PATH: `${home}/bin:${GUEST_ENV.PATH}`, HOME: home },
  }));
  const transport: GuestTransport = {
    kind: 'exec',
    open(argv) {
      opened.push([...argv]);
      const connection = commands.open(argv);
      connections.add(connection);
      void connection.closed.then(() => connections.delete(connection));
      return connection;
    },
  };
  return { transport, home, host, opened, connections };
}
