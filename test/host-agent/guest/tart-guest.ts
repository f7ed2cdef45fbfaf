// A guest of the stand-in of tart, with its own root folder and processes, reached as the driver reaches it.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { execTransport, type GuestTransport } from '../../../host-agent/guest/transport.js';
import type { GuestDisk } from '../../harness/vm/guest-image.js';
import { type Fault, openTartHost, type TartHost } from '../../harness/vm/tart-host.js';

const run = promisify(execFile);
const IMAGE = 'ghcr.io/acme/macos:26';

export interface TartGuest {
  readonly host: TartHost;
  readonly transport: GuestTransport;
  /** Folder of this host that a path of the guest is in. */
  file(path: string): string;
  /** Runs a shell script as the guest's user and returns what it prints. */
  sh(script: string): Promise<string>;
}

export async function openTartGuest(
  t: Test,
  disk: Partial<GuestDisk> = {},
  faults: Partial<Record<Fault, string>> = {},
): Promise<TartGuest> {
  const host = await openTartHost(t, { images: { [IMAGE]: disk }, faults });
  const { code, stderr } = await host.tart('clone', IMAGE, 'vm1');
  if (code !== 0) throw new Error(stderr);
  await host.boot('vm1');
  const { env, path: file } = host;
  return {
    host,
    transport: execTransport((argv) => ({ file, args: ['exec', '-i', 'vm1', ...argv], env })),
    file: (path) => host.guestFile('vm1', path),
    async sh(script) {
      return (await run(file, ['exec', 'vm1', '/bin/sh', '-euc', script], { env })).stdout;
    },
  };
}
