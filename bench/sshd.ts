// A real sshd on the loopback interface with temporary keys, as the peer for remote builds.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Sshd {
  /** Arguments for ssh (and, joined, for rsync -e): port, key, no prompts. */
  options: string[];
  /** The same arguments with a multiplexed connection that stays open. */
  multiplexed: string[];
  target: string;
  stop(): void;
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket
      .once('data', () => resolve(true))
      .once('error', () => resolve(false))
      .once('close', () => resolve(false));
  });

/** Starts sshd. Needs /usr/sbin/sshd (Debian: openssh-server). Rejects when it does not start. */
export async function startSshd(): Promise<Sshd> {
  const dir = mkdtempSync(join(tmpdir(), 'cm-sshd-'));
  chmodSync(dir, 0o700);
  const port = await freePort();
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)]);
  }
  copyFileSync(join(dir, 'user.pub'), join(dir, 'authorized_keys'));
  // sshd refuses to start without its privilege separation folder.
  mkdirSync('/run/sshd', { recursive: true });
  writeFileSync(
    join(dir, 'sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${join(dir, 'host')}`,
      `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
      `PidFile ${join(dir, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      '',
    ].join('\n'),
  );
  const daemon: ChildProcess = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(dir, 'sshd_config')], {
    stdio: 'ignore',
  });
  const deadline = Date.now() + 10_000;
  while (!(await answers(port))) {
    if (Date.now() > deadline || daemon.exitCode !== null) throw new Error('sshd did not come up');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const common = [
    '-p',
    String(port),
    '-i',
    join(dir, 'user'),
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    `UserKnownHostsFile=${join(dir, 'known_hosts')}`,
    '-o',
    'LogLevel=ERROR',
  ];
  const target = `${userInfo().username}@127.0.0.1`;
  const control = ['-o', `ControlPath=${join(dir, 'mux')}`, '-o', 'ControlMaster=auto', '-o', 'ControlPersist=600'];
  const multiplexed = [...common, ...control];
  execFileSync('ssh', [...multiplexed, target, 'true'], { stdio: 'ignore' });
  return {
    options: common,
    multiplexed,
    target,
    stop() {
      spawn('ssh', [...multiplexed, '-O', 'exit', target], { stdio: 'ignore' }).on('exit', () => {
        daemon.kill();
        rmSync(dir, { recursive: true, force: true });
      });
    },
  };
}
