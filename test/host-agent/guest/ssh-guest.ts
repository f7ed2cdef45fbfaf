// A guest of the stand-in of lume, which is reached by ssh only: a real sshd in a root folder of its own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Test } from 'tap';
import { createLume } from '../../../host-agent/driver/lume/lume.js';
import type { SshGuest } from '../../../host-agent/guest/ssh-transport.js';
import { defaultVmLimits } from '../../../host-agent/limits.js';
import { isErrno } from '../../../shared/errno.js';
import { until } from '../../harness/until.js';
import type { GuestDisk } from '../../harness/vm/guest-image.js';
import { type LumeHost, openLumeHost } from '../../harness/vm/lume-host.js';
import { tempFolder } from '../runner/rig.js';

const IMAGE = 'ghcr.io/acme/macos:26';
const NAME = 'vm1';

export interface LumeGuest {
  readonly host: LumeHost;
  /** As the driver makes it; its folder has a name that needs quoting. */
  readonly guest: SshGuest;
  readonly address: string;
  /** Path on this host of a file of the guest. */
  file(name: string): string;
  /** Sets the behavior of a command in the guest. */
  steer(name: string, text?: string): void;
  /** Breaks all connections, and waits for one first. */
  drop(): Promise<void>;
  /** Stops the processes of all connections, like a guest that hangs. */
  freeze(): void;
  running(): Promise<boolean>;
}

export async function openLumeGuest(t: Test, disk: Partial<GuestDisk> & { bootMs?: number } = {}): Promise<LumeGuest> {
  const { bootMs = 0, ...image } = disk;
  const host = await openLumeHost(t, { images: { [IMAGE]: image }, faults: { 'boot-ms': String(bootMs) } });
  const outputDir = path.join(host.home, 'output');
  const limits = () => defaultVmLimits;
  const tool = createLume({ path: host.path, home: host.home, outputDir, limits, env: host.env });
  const on = { progress: () => undefined, signal: new AbortController().signal };
  const { digest } = await tool.pull({ ref: IMAGE, digest: null }, on);
  await tool.clone({ ref: IMAGE, digest }, NAME);
  await tool.start(NAME);
  await until(async () => (await tool.address(NAME)) !== null, 'an address');
  const address = (await tool.address(NAME)) ?? '';
  const root = path.join(host.home, 'vms', NAME, 'guest');
  const file = (name: string) => path.join(root, name);
  const folder = path.join(tempFolder(t), 'a "folder" with 100%d');
  const guest = { user: 'lume', folder, connectS: 5, aliveS: 1, address: async () => address };
  return {
    host,
    guest,
    address,
    file,
    steer(name, text = '') {
      mkdirSync(file('private/var/db/stand-in'), { recursive: true });
      writeFileSync(file(`private/var/db/stand-in/${name}`), text);
    },
    freeze() {
      for (const pid of serversIn(root)) process.kill(pid, 'SIGSTOP');
    },
    running: async () => (await tool.list()).some((vm) => vm.name === NAME && vm.state === 'running'),
    async drop() {
      await until(() => serversIn(root).length > 0, 'a connection to break');
      for (const pid of serversIn(root)) process.kill(pid, 'SIGKILL');
    },
  };
}

/** Process ids of all sshd of the guest with this root. */
function serversIn(root: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isServer = readFileSync(`/proc/${name}/comm`, 'utf8').trim() === 'sshd';
      return isServer && readlinkSync(`/proc/${name}/root`) === root ? [Number(name)] : [];
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ESRCH')) return [];
      throw error;
    }
  });
}

/** Makes another host key for the guest. */
export function changeHostKey(far: LumeGuest): void {
  const key = far.file('private/etc/ssh/cidermill_host_key');
  const made = path.join(path.dirname(far.guest.folder), 'other_key');
  if (!existsSync(made)) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', made]);
  writeFileSync(key, readFileSync(made));
}
