// Descriptors that a process has got from the program that started it, and would hand on to a build.
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { unless } from '../../shared/errno.js';

const CLOSE_ON_EXEC = 0o2000000;
const GONE = ['ENOENT', 'EBADF'];

/**
 * Closes the descriptors above 2 that a child would inherit. Node opens all of its own so that children do not, and on
 * startup changes the inherited ones, but only up to the first gap above 15: `exec 40</some/file` in the shell that
 * started the agent would reach the scripts of builds.
 *
 * Linux only. macOS does not list these flags, and there node-pty starts scripts without any descriptor above 2.
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
