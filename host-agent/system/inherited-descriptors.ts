// File descriptors that a process inherited from its parent and would pass on to a build.
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { unless } from '../../shared/errno.js';

const CLOSE_ON_EXEC = 0o2000000;
const GONE = ['ENOENT', 'EBADF'];

/**
 * Closes the descriptors above 2 that a child would inherit. Node opens files with close-on-exec, and on startup sets it on
 * inherited descriptors, but only up to the first gap above 15: after `exec 40</some/file` in the shell that started the
 * agent, the scripts of builds would have that file open.
 *
 * Linux only. macOS does not list these flags, but node-pty starts scripts without any descriptor above 2 there.
 *
 * @returns the descriptors that were closed
 */
export function closeInherited(): number[] {
  if (process.platform !== 'linux') return [];
  const inherited = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInheritable(fd));
  for (const fd of inherited) unless(GONE, () => closeSync(fd));
  return inherited;
}

function isInheritable(fd: number): boolean {
  const info = unless(GONE, () => readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
  const flags = /^flags:\s*([0-7]+)$/m.exec(info ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
}
