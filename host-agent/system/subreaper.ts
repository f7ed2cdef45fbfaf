// Linux: makes a process the subreaper of its descendants, so that a daemon that left its session and cleared its
// environment is still a descendant. macOS has no equivalent.
import { existsSync } from 'node:fs';

/** System call number of prctl by architecture, as Node names them. */
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
const PERL = '/usr/bin/perl';
const PYTHON = '/usr/bin/python3';

/**
 * Returns a command that makes its process a subreaper and then executes `argv` in it, or `argv` itself where that is
 * not possible. Node cannot make the system call; Perl, which most systems have, and Python can.
 *
 * @example withSubreaper(['/usr/bin/node', 'main.js']) // ['/usr/bin/perl', '-e', '…', '/usr/bin/node', 'main.js']
 */
export function withSubreaper(argv: readonly string[]): string[] {
  const keeper = findSubreaper();
  return keeper === null ? [...argv] : [...keeper, ...argv];
}

/** Returns whether build processes are subreapers on this machine. */
export const hasSubreaper = (): boolean => findSubreaper() !== null;

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  exists(path: string): boolean;
}

const thisMachine: Machine = { platform: process.platform, arch: process.arch, exists: existsSync };

/** Returns a warning for the operator of a Linux host without a subreaper, otherwise null. */
export function subreaperWarning(machine: Machine = thisMachine): string | null {
  if (machine.platform !== 'linux' || findSubreaper(machine) !== null) return null;
  return `Processes that a build detaches are not adopted, so they may survive the build: install ${PERL} or ${PYTHON}.`;
}

function findSubreaper({ platform, arch, exists }: Machine = thisMachine): string[] | null {
  if (platform !== 'linux') return null;
  const prctl = PRCTL[arch];
  if (prctl !== undefined && exists(PERL)) {
    const code = `syscall(${prctl}, ${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0); exec { $ARGV[0] } @ARGV; die "$ARGV[0]: $!\\n"`;
    return [PERL, '-e', code];
  }
  if (exists(PYTHON)) {
    const call = `ctypes.CDLL(None).prctl(${PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0)`;
    const code = `import ctypes, os, sys; ${call}; os.execvp(sys.argv[1], sys.argv[1:])`;
    return [PYTHON, '-I', '-S', '-c', code];
  }
  return null;
}
