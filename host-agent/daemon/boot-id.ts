import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Returns the boot id of the machine, which changes with every restart. */
export async function bootId(): Promise<string> {
  if (process.platform === 'linux') return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const { stdout } = await promisify(execFile)('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']);
  return stdout.trim();
}
