// A guest behind a real sshd on an address of this machine, as launchd starts it on macOS: a process for each connection,
// which reads its configuration anew. Its /etc, its user and the user's password are its own; the commands of macOS
// that change a password keep real state there.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { tempFolder } from '../runner/rig.js';

const stubs = fileURLToPath(new URL('../../../../test/host-agent/guest/ssh-stubs/', import.meta.url));

export interface SshGuestStandIn {
  readonly address: string;
  readonly user: string;
  readonly home: string;
  /** Its /etc. */
  readonly etc: string;
  /** What sshd has written to its log. */
  log(): string;
  /** Number of connections until now. */
  connections(): number;
  /** Breaks all connections. */
  drop(): void;
  /** Refuses or accepts new connections. */
  listen(on: boolean): Promise<void>;
}

export interface SshGuestOptions {
  password?: string;
  shell?: string;
  /** sudo asks for the user's password. */
  sudoAsks?: boolean;
}

let last = 0;

export async function openSshGuest(t: Test, options: SshGuestOptions = {}): Promise<SshGuestStandIn> {
  const { password = 'lume', shell = '/bin/bash', sudoAsks = false } = options;
  const folder = tempFolder(t);
  const etc = join(folder, 'etc');
  const home = join(folder, 'home');
  mkdirSync(etc);
  for (const name of ['passwd', 'shadow', 'group', 'nsswitch.conf', 'ld.so.cache']) {
    copyFileSync(join('/etc', name), join(etc, name));
  }
  mkdirSync(join(home, 'Library/Keychains'), { recursive: true });
  chmodSync(home, 0o755);
  chmodSync(folder, 0o755);
  writeFileSync(join(home, 'Library/Keychains/login.keychain-db'), password);
  const hash = spawnSync('perl', ['-e', 'print crypt($ARGV[0], q($6$stand-in$))', password], {
    encoding: 'utf8',
  });
  const passwd = readFileSync(join(etc, 'passwd'), 'utf8').replace(
    /^root:.*$/m,
    `lume:x:0:0::${home}:${shell}`,
  );
  writeFileSync(join(etc, 'passwd'), passwd);
  const shadow = readFileSync(join(etc, 'shadow'), 'utf8').replace(
    /^root:.*$/m,
    `lume:${hash.stdout}:19000:0:99999:7:::`,
  );
  writeFileSync(join(etc, 'shadow'), shadow);
  writeFileSync(join(etc, 'kcpassword'), 'old', { mode: 0o600 });
  if (sudoAsks) writeFileSync(join(etc, 'sudo-asks'), '');
  mkdirSync(join(etc, 'ssh/sshd_config.d'), { recursive: true });
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(etc, 'ssh/ssh_host_ed25519_key')]);
  writeFileSync(
    join(etc, 'ssh/sshd_config'),
    [
      'Include /etc/ssh/sshd_config.d/*',
      'PermitRootLogin yes',
      'UsePAM no',
      `SetEnv PATH=${stubs}:/usr/bin:/bin:/usr/sbin:/sbin`,
      '',
    ].join('\n'),
  );
  last += 1;
  const address = `127.${64 + (process.pid % 128)}.${(process.pid >> 7) % 256}.${last}`;
  const script = 'mount --bind "$1" /etc && mkdir -p /run/sshd && exec /usr/sbin/sshd -i -e';
  let count = 0;
  let log = '';
  const open = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    count += 1;
    open.add(socket);
    const child = spawn('unshare', ['-m', 'sh', '-c', script, 'sh', etc], {
      stdio: [socket, socket, 'pipe'],
      detached: true,
    });
    child.stderr.on('data', (bytes) => {
      log += bytes;
    });
    child.once('exit', () => {
      open.delete(socket);
      socket.destroy();
    });
    socket.once('close', () => child.pid !== undefined && child.exitCode === null && process.kill(child.pid));
    socket.on('error', () => undefined);
  });
  const listen = (on: boolean) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      if (on) server.listen(22, address, () => resolve());
      else server.close(() => resolve());
    });
  const drop = () => {
    for (const socket of open) socket.destroy();
  };
  await listen(true);
  t.teardown(async () => {
    drop();
    if (server.listening) await listen(false);
  });
  return { address, user: 'lume', home, etc, log: () => log, connections: () => count, drop, listen };
}
