// The system of a stand-in guest: the commands that macOS has, and no others. Stubs of macOS come before those of Linux.
// Requires: root, perl, rsync, sshd, zsh
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';

let namespaces: boolean | null = null;

/** @throws when this process cannot start guests */
export function requireNamespaces(): void {
  namespaces ??=
    process.platform === 'linux' &&
    spawnSync('unshare', ['--mount', '--pid', '--ipc', '--uts', '--fork', 'true']).status === 0;
  if (!namespaces) throw new Error('guests of the stand-ins need Linux, and root that may create namespaces');
}

/** Folder of the executables `tart` and `lume` and their modules. */
export const standIns = new URL('../../../../test/harness/vm/', import.meta.url).pathname;

const commands: Record<string, string> = {
  bin: 'bash cat chmod cp date dd echo expr hostname kill ln ls mkdir mv pwd rm rmdir sh sleep stty sync test zsh dash',
  sbin: 'mount umount ping',
  'usr/bin': `awk base64 basename bc bzip2 bunzip2 cksum clear cmp column comm crontab curl cut diff dirname du egrep env
    expand false fgrep file find fish fold getconf git grep groups gunzip gzip head iconv id install join less locale
    logger login lsof make mkfifo mktemp more nice nl nohup od openssl paste patch perl printenv printf readlink renice
    rev rsync scp sed seq sftp shasum sort split ssh ssh-add ssh-agent ssh-keygen strings su tail tar tee time touch tr
    true tty uniq unzip unexpand uptime users uuidgen wc which who whoami xargs xxd yes zip zcat zstd xz realpath`,
  'usr/sbin': 'chown sshd',
};

/** Where a command of this machine is once its /usr is at /.linux: alternatives and merged folders resolved. */
function onLinux(name: string): string | null {
  const found = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].map((folder) => path.join(folder, name)).find(existsSync);
  if (found === undefined) return null;
  return realpathSync(found).replace(/^(\/usr)?\//, '/.linux/');
}

const links: Record<string, string> = { sh: 'bash' };

/** Makes the folder that every guest sees as /.system. */
export function makeGuestSystem(folder: string): void {
  const stubs = path.join(standIns, 'guest');
  for (const [where, names] of Object.entries(commands)) {
    mkdirSync(path.join(folder, where), { recursive: true });
    for (const name of names.split(/\s+/)) {
      if (existsSync(path.join(stubs, where, name))) continue;
      const target = onLinux(links[name] ?? name);
      if (target !== null) symlinkSync(target, path.join(folder, where, name));
    }
  }
  for (const where of [...Object.keys(commands), 'usr/libexec']) {
    const own = path.join(stubs, where);
    if (!existsSync(own)) continue;
    mkdirSync(path.join(folder, where), { recursive: true });
    for (const name of readdirSync(own)) symlinkSync(`/.stubs/${where}/${name}`, path.join(folder, where, name));
  }
}
