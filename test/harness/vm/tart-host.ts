// A Mac with the stand-in of tart, for tests that need virtual machines:
//
//     const host = await openTartHost(t, { images: { 'ghcr.io/acme/macos:26': {} } });
//     run(host.path, ['clone', 'ghcr.io/acme/macos:26', 'vm1'], { env: host.env });
//     host.fault('boot-ms', '300'); // see `Fault`
//
// TART_HOME is a folder of the test. Machines that still run at its end are ended. A guest is real: folders as on macOS, a user
// `admin` (501) with sudo, shells, perl, git, sshd on `tart ip`:22. Linux and root only.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { hasEnded, processesWith } from '../processes.js';
import { until } from '../until.js';
import { defaultDisk, type GuestDisk, writeGuestDisk } from './guest-image.js';
import { makeGuestSystem, requireNamespaces, standIns } from './guest-system.js';

const run = promisify(execFile);

/** An image of the registry: what its guest has, and its sizes in GB (1000³ bytes, of which nothing is really used). */
export interface ImageOptions extends Partial<GuestDisk> {
  readonly diskGb?: number;
  readonly usedGb?: number;
}

/**
 * Faults by name. The value is given as text:
 * `version` (e.g. 2.30.0: JSON without State and Accessed), `boot-ms`, `clone-ms`, `pull-ms`, `clone-fails` (after the copy),
 * `clone-disk-full`, `pull-disk-full`, `pull-breaks` (at this percent), `unauthorized`, `list-hangs` (seconds), `no-address` (at
 * the next boot), `exec-refuses`, `connect-seconds` (until an agent that does not answer counts as missing; 10),
 * `exec-drops-after-bytes`, `exec-drops-after-seconds`, `leaked-slots` (how many), `keychain-locked`, `stop-ignored` (SIGINT has
 * no effect), `guest-disk-mb` (size of the guest's /Users from the next boot on).
 */
export type Fault =
  | 'version'
  | 'boot-ms'
  | 'clone-ms'
  | 'pull-ms'
  | 'clone-fails'
  | 'clone-disk-full'
  | 'pull-disk-full'
  | 'pull-breaks'
  | 'unauthorized'
  | 'list-hangs'
  | 'no-address'
  | 'exec-refuses'
  | 'connect-seconds'
  | 'exec-drops-after-bytes'
  | 'exec-drops-after-seconds'
  | 'leaked-slots'
  | 'keychain-locked'
  | 'stop-ignored'
  | 'guest-disk-mb';

/** A host with a stand-in, whatever the tool is. */
export interface ToolHost<FaultName extends string> {
  /** The executable. */
  readonly path: string;
  /** Folder of machines and images: TART_HOME, or one that is not lume's own. */
  readonly home: string;
  /** Environment of a process that calls the tool by its name. */
  readonly env: Record<string, string>;
  /** Digests of the images in the registry, by name and tag. */
  readonly digests: Readonly<Record<string, string>>;
  /** Puts an image into the registry; a tag that exists moves to the new image. Returns its digest. */
  addImage(ref: string, options?: ImageOptions): string;
  /** Sets a fault, permanently or for a number of times. */
  fault(name: FaultName, value?: string, times?: number): void;
  /** Ends a fault. */
  mend(name: FaultName): void;
  /** Arguments of every call so far. */
  calls(): string[][];
}

export interface TartHost extends ToolHost<Fault> {
  /** Folder of this host that is the disk of a machine: `guestFile('vm1', 'Users/admin/x')`. */
  guestFile(vm: string, name: string): string;
  /** Its exit code, or 128 and the number of the signal that has ended it. */
  tart(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Starts a machine as a driver does, and waits until it runs. */
  boot(vm: string): Promise<void>;
  /** Ends the process of a running machine, as a crash does, and waits until its locks are free. */
  kill(vm: string): Promise<void>;
  /** Names of the machines that run. */
  running(): Promise<string[]>;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

const splitRef = (ref: string) => {
  const at = ref.lastIndexOf(':');
  return { repository: ref.slice(0, at).replaceAll(':', '%3A'), tag: ref.slice(at + 1) };
};

export function writeImage(
  own: string,
  ref: string,
  { diskGb = 50, usedGb = 25, ...disk }: ImageOptions,
  serial: number,
): string {
  const whole = { ...defaultDisk, ...disk };
  const digest = `sha256:${createHash('sha256')
    .update(JSON.stringify([ref, serial, whole]))
    .digest('hex')}`;
  const folder = path.join(own, 'registry/images', digest);
  mkdirSync(path.join(folder, 'guest'), { recursive: true });
  writeFileSync(path.join(folder, 'disk.img'), '');
  truncateSync(path.join(folder, 'disk.img'), diskGb * 1e9);
  writeFileSync(path.join(folder, 'nvram.bin'), '');
  writeFileSync(path.join(folder, '.used-bytes'), String(usedGb * 1e9));
  const config = {
    version: 1,
    os: 'darwin',
    arch: 'arm64',
    cpuCountMin: 2,
    cpuCount: 4,
    memorySizeMin: 4 * 1024 ** 3,
    memorySize: 8 * 1024 ** 3,
    macAddress: '7e:3a:5f:00:00:01',
    display: { width: 1024, height: 768 },
    diskFormat: 'raw',
  };
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config, null, 2));
  writeGuestDisk(path.join(folder, 'guest'), whole);
  const { repository, tag } = splitRef(ref);
  mkdirSync(path.join(own, 'registry/tags', repository), { recursive: true });
  writeFileSync(path.join(own, 'registry/tags', repository, tag), digest);
  return digest;
}

/** Pids of the processes of this host that run machines, by the machines' names. */
function machines(home: string): Map<string, number> {
  const folder = path.join(home, '.stand-in/running');
  const found = new Map<string, number>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    try {
      const pid = Number(readFileSync(path.join(folder, name), 'utf8'));
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TART_HOME=${home}\0`)) found.set(name, pid);
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

const PREFIX = 'cidermill-test-host-';

/**
 * Makes a folder for one host, which its test removes (`t.testdir()` is gone before a teardown runs): in memory where there is
 * room, since machines are thousands of small files. Folders of tests that were killed go too.
 */
export function hostFolder(): string {
  const memory = existsSync('/dev/shm') ? statfsSync('/dev/shm') : null;
  const roomy = memory !== null && memory.bavail * memory.bsize > 1024 ** 3;
  const parent = roomy ? '/dev/shm' : tmpdir();
  for (const name of readdirSync(parent)) {
    const left = path.join(parent, name);
    if (!name.startsWith(PREFIX) || !existsSync(path.join(left, 'owner'))) continue;
    const owner = readFileSync(path.join(left, 'owner'), 'utf8');
    if (!existsSync(`/proc/${owner}`)) rmSync(left, { recursive: true, force: true, maxRetries: 5 });
  }
  const folder = mkdtempSync(path.join(parent, PREFIX));
  writeFileSync(path.join(folder, 'owner'), String(process.pid));
  return folder;
}

/** @param own folder of the stand-in's own state */
export const controlsOf = (own: string): Pick<ToolHost<string>, 'fault' | 'mend' | 'calls'> => ({
  fault(name, value = '', times) {
    writeFileSync(path.join(own, 'faults', name), `value=${value}\n${times === undefined ? '' : `times=${times}\n`}`);
  },
  mend: (name) => rmSync(path.join(own, 'faults', name), { force: true }),
  calls() {
    const file = path.join(own, 'calls');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\x1f'));
  },
});

/** Opens a host with these images in its registry; none is pulled yet. */
export async function openTartHost(
  t: Test,
  options: { images?: Record<string, ImageOptions>; faults?: Partial<Record<Fault, string>> } = {},
): Promise<TartHost> {
  requireNamespaces();
  const folder = hostFolder();
  const home = path.join(folder, 'tart');
  const own = path.join(home, '.stand-in');
  mkdirSync(path.join(own, 'faults'), { recursive: true });
  makeGuestSystem(path.join(own, 'system'));
  const env = {
    PATH: `${standIns}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
    HOME: folder,
    TART_HOME: home,
    CI: '1',
  };
  const digests: Record<string, string> = {};
  let serial = 0;
  const host: TartHost = {
    path: path.join(standIns, 'tart'),
    home,
    env,
    digests,
    addImage(ref, image = {}) {
      const digest = writeImage(own, ref, image, serial++);
      digests[ref] = digest;
      return digest;
    },
    ...controlsOf(own),
    guestFile: (vm, name) => path.join(home, 'vms', vm, 'guest', name),
    async tart(...args) {
      try {
        return { code: 0, ...(await run(host.path, args, { env, maxBuffer: 2 ** 28 })) };
      } catch (error) {
        const { code, signal, stdout, stderr } = error as Ended;
        return { code: code ?? 128 + constants.signals[signal], stdout, stderr };
      }
    },
    async boot(vm) {
      spawn(host.path, ['run', '--no-graphics', vm], { env, stdio: 'ignore', detached: true }).unref();
      await until(() => machines(home).has(vm), `${vm} runs`);
    },
    async kill(vm) {
      const pid = machines(home).get(vm);
      if (pid === undefined) throw new Error(`${vm} does not run`);
      process.kill(pid, 'SIGKILL');
      await until(() => hasEnded(pid), `${vm} has ended`);
    },
    async running() {
      const { stdout } = await host.tart('list', '--source', 'local', '--format', 'json');
      return (JSON.parse(stdout) as { Name: string; Running: boolean }[]).flatMap(({ Name, Running }) =>
        Running ? [Name] : [],
      );
    },
  };
  for (const [ref, image] of Object.entries(options.images ?? { 'ghcr.io/acme/macos:26': {} }))
    host.addImage(ref, image);
  for (const [name, value] of Object.entries(options.faults ?? {})) host.fault(name as Fault, value);
  t.teardown(async () => {
    for (const pid of machines(home).values()) process.kill(pid, 'SIGINT');
    await until(() => machines(home).size === 0, 'no machine runs');
    await until(() => processesWith(`TART_HOME=${home}\0`).length === 0, 'no call of tart is left');
    rmSync(folder, { recursive: true, force: true });
  });
  return host;
}
