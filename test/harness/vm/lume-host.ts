// A Mac with the stand-in of lume, for tests that need virtual machines:
//
//     const host = await openLumeHost(t, { images: { 'ghcr.io/acme/macos:26': {} } });
//     run(host.path, ['pull', 'macos:26', 'vm1', '--organization', 'acme', '--storage', folder], { env: host.env });
//
// HOME is a folder of the test. Machines that still run at its end are ended. Guests are those of tart-host.ts, with lume's
// user `lume` and without a guest agent.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { hasEnded, processesWith } from '../processes.js';
import { until } from '../until.js';
import { makeGuestSystem, requireNamespaces, standIns } from './guest-system.js';
import { controlsOf, type Fault, hostFolder, type ImageOptions, type ToolHost, writeImage } from './tart-host.js';

const run = promisify(execFile);

/**
 * Faults by name, with a value as text: as in tart-host.ts, and `liveness-unknown` (lume cannot tell whether a
 * machine runs, and says "stopped") and `vnc-always` (a version whose machines cannot run without a VNC server).
 */
export type LumeFault =
  | Exclude<Fault, 'exec-refuses' | 'connect-seconds' | 'exec-drops-after-bytes' | 'exec-drops-after-seconds'>
  | 'liveness-unknown'
  | 'vnc-always';

export interface LumeHost extends ToolHost<LumeFault> {
  lume(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Deletes the leases of the DHCP server: guests get other addresses when they boot. */
  forgetLeases(): void;
  /** Ends the processes of all running machines, as a crash does. */
  kill(): Promise<void>;
  /** Name of a machine that was started while it ran, so that two had the same disk; null: none. */
  ranTwice(): string | null;
  /** Name of a machine that had a VNC server; null: none. */
  hadVnc(): string | null;
  /** Whether lume would have sent telemetry. */
  sentTelemetry(): boolean;
}

export async function openLumeHost(
  t: Test,
  options: { images?: Record<string, ImageOptions>; faults?: Partial<Record<LumeFault, string>> } = {},
): Promise<LumeHost> {
  requireNamespaces();
  const folder = hostFolder();
  const own = path.join(folder, '.lume/.stand-in');
  for (const made of ['faults', 'running']) mkdirSync(path.join(own, made), { recursive: true });
  makeGuestSystem(path.join(own, 'system'));
  const file = path.join(standIns, 'lume');
  const env = { PATH: `${standIns}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`, HOME: folder };
  const digests: Record<string, string> = {};
  const read = (name: string) => (existsSync(path.join(own, name)) ? readFileSync(path.join(own, name), 'utf8') : null);
  const pids = () =>
    readdirSync(path.join(own, 'running'))
      .map((name) => Number(name.split('-')[0]))
      .filter(isLume);
  const host: LumeHost = {
    path: file,
    home: path.join(folder, 'machines'),
    env,
    digests,
    addImage(ref, image = {}) {
      const disk = { user: 'lume', password: 'lume', guestAgent: false, ...image };
      digests[ref] = writeImage(own, ref, disk, Object.keys(digests).length + readdirSync(own).length);
      return digests[ref];
    },
    ...controlsOf(own),
    async lume(...args) {
      try {
        return { code: 0, ...(await run(file, args, { env, maxBuffer: 2 ** 28 })) };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, stdout, stderr };
      }
    },
    forgetLeases: () => rmSync(path.join(own, 'leases'), { recursive: true, force: true }),
    async kill() {
      const killed = pids();
      for (const pid of killed) process.kill(pid, 'SIGKILL');
      await until(() => killed.every(hasEnded), 'no machine runs');
    },
    ranTwice: () => read('ran-twice'),
    hadVnc: () => read('vnc-server'),
    sentTelemetry: () => read('telemetry') !== null,
  };
  for (const [ref, image] of Object.entries(options.images ?? { 'ghcr.io/acme/macos:26': {} }))
    host.addImage(ref, image);
  for (const [name, value] of Object.entries(options.faults ?? {})) host.fault(name as LumeFault, value);
  t.teardown(async () => {
    await host.kill();
    await until(() => processesWith(`HOME=${folder}\0`).length === 0, 'no call of lume is left');
    rmSync(folder, { recursive: true, force: true });
  });
  return host;
}

/** Whether a process with the id of a machine is that machine, and not a later one. */
function isLume(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0run\0');
  } catch {
    return false;
  }
}
