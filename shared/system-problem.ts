// Failed system calls, as sentences: none is a bug of the program, and a stack trace helps nobody.
import { errnoOf } from './errno.js';

const LONGEST_PATH = 300;

export interface SystemProblem {
  text: string;
  /** True: another path or other permissions would do; false: the machine lacks something. */
  isInput: boolean;
}

const OF_PATHS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something of this name is there already',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the path is too long',
  EROFS: 'the file system is read-only',
};

const OF_THE_MACHINE: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many files are open (see ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EAGAIN: 'no more processes can be started (see ulimit -u)',
  ENOMEM: 'no memory is left',
  EIO: 'the disk failed to read or write',
  EPIPE: 'the reader of the output has gone',
};

/** Describes a failed system call; null for any other error. */
export function systemProblem(error: unknown): SystemProblem | null {
  const code = errnoOf(error);
  if (code === undefined || !(error instanceof Error)) return null;
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') return { text: 'the current folder no longer exists', isInput: true };
  const where =
    typeof path === 'string'
      ? `cannot use ${path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path}: `
      : '';
  const ofPath = OF_PATHS[code];
  if (ofPath !== undefined && where !== '') return { text: where + ofPath, isInput: true };
  const ofMachine = OF_THE_MACHINE[code];
  if (ofMachine !== undefined) return { text: where + ofMachine, isInput: false };
  return syscall === undefined ? null : { text: error.message, isInput: false };
}
