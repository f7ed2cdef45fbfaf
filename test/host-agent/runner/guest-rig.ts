// Fixtures for tests of builds in a virtual machine: one of the stand-in of tart, in which builds run from this process.
import path from 'node:path';
import type { Test } from 'tap';
import type { AttemptRef } from '../../../host-agent/contract/attempt-folder.js';
import type { BuildMac } from '../../../host-agent/driver/build-mac.js';
import type { GuestAccess } from '../../../host-agent/driver/guest-access.js';
import { GUEST_RUNS } from '../../../host-agent/driver/guest-builds.js';
import { execTransport, type GuestTransport } from '../../../host-agent/guest/transport.js';
import { defaultGuestLimits, type GuestLimits } from '../../../host-agent/limits.js';
import { createGuestMac } from '../../../host-agent/runner/guest-mac.js';
import { systemClock } from '../../../shared/clock.js';
import { openTartHost, type TartHost } from '../../harness/vm/tart-host.js';
import { openRuns, type Rig, SLOT, tempFolder } from './rig.js';

export const VM = 'cidermill-1';
const IMAGE = 'ghcr.io/acme/macos:26';

export interface GuestRig extends Pick<Rig, 'run'> {
  host: TartHost;
  dataDir: string;
  macFor(ref: AttemptRef): BuildMac;
  /** Returns the file of this host that is a file of the guest. */
  guestFile(name: string): string;
  /** Replaces the connection to the guest and its time limits (default: those of the rig) for builds that start later. */
  through(change: (transport: GuestTransport) => GuestTransport, limits?: Partial<GuestLimits>): void;
}

/** Opens a rig with a virtual machine that runs. */
export async function openGuestRig(
  t: Test,
  options: { limits?: Partial<GuestLimits>; dataDir?: string; guestDiskMb?: number } = {},
): Promise<GuestRig> {
  const host = await openTartHost(t, { images: { [IMAGE]: {} } });
  const cloned = await host.tart('clone', IMAGE, VM);
  if (cloned.code !== 0) throw new Error(cloned.stderr);
  if (options.guestDiskMb !== undefined) host.fault('guest-disk-mb', String(options.guestDiskMb));
  await host.boot(VM);
  const dataDir = options.dataDir ?? tempFolder(t);
  const usual = { ...defaultGuestLimits, ...options.limits };
  let limits = usual;
  const honest = execTransport((argv) => ({
    file: host.path,
    args: ['exec', '-i', VM, ...argv],
    env: host.env,
  }));
  let transport = honest;
  const access = (): GuestAccess => ({
    transport,
    user: 'admin',
    home: '/Users/admin',
    vm: VM,
    running: async () => (await host.running()).includes(VM),
  });
  const driver = { guest: async () => access(), freeBytes: async () => Number.POSITIVE_INFINITY };
  const macFor = (ref: AttemptRef) =>
    createGuestMac({ driver, dataDir, slotId: SLOT, ref, limits, diskReserveBytes: 0, clock: systemClock });
  return {
    host,
    dataDir,
    macFor,
    run: openRuns(dataDir, { macFor, runs: GUEST_RUNS }).run,
    guestFile: (name) => host.guestFile(VM, path.relative('/', name)),
    through(change, given = {}) {
      transport = change(honest);
      limits = { ...usual, ...given };
    },
  };
}
