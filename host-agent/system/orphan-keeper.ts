// Linux: makes a program adopt its descendants whose parents have ended, so that a daemon that leaves its session and
// clears its environment still is somebody's descendant. macOS has nothing like it.
import { existsSync } from 'node:fs';

/** Number of the system call prctl by architecture, as Node names those. */
const PRCTL: Readonly<Record<string, number>> = {
  x64: 157,
  arm64: 167,
  arm: 172,
  ia32: 172,
  ppc64: 171,
  s390x: 172,
  riscv64: 167,
  loong64: 167,
};
const PR_SET_CHILD_SUBREAPER = 36;

/**
 * The command that runs `argv` in the same process after it has become the parent of its orphaned descendants, or
 * `argv` itself where that cannot be had. Node cannot make the system call; Perl, which most systems have, and Python
 * can.
 *
 * @example withOrphans(['/usr/bin/node', 'main.js']) // ['/usr/bin/perl', '-e', '…', '/usr/bin/node', 'main.js']
 */
export function withOrphans(argv: readonly string[]): string[] {
  const keeper = findKeeper();
  return keeper === null ? [...argv] : [...keeper, ...argv];
}

/** Whether orphaned processes are adopted on this machine. */
export const keepsOrphans = (): boolean => findKeeper() !== null;

function findKeeper(): string[] | null {
  if (process.platform !== 'linux') return null;
  const prctl = PRCTL[process.arch];
  if (prctl !== undefined && existsSync('/usr/bin/perl')) {
    const code = `syscall(${prctl}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV; die "$ARGV[0]: $!\\n"`;
    return ['/usr/bin/perl', '-e', code];
  }
  if (existsSync('/usr/bin/python3')) {
    const call = `ctypes.CDLL(None).prctl(${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0)`;
    const code = `import ctypes, os, sys; ${call}; os.execvp(sys.argv[1], sys.argv[1:])`;
    return ['/usr/bin/python3', '-I', '-S', '-c', code];
  }
  return null;
}
