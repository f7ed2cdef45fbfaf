// Lists processes of this machine from /proc, to find those that builds left behind.
import { readdirSync, readFileSync } from 'node:fs';

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended meanwhile, or we may not read it.
    return null;
  }
};

/** Returns the command lines of all processes whose environment contains one of the texts, which must be unique to the caller. */
export function processesWith(...texts: string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const environment = read(`/proc/${pid}/environ`) ?? '';
      return texts.some((text) => environment.includes(text));
    })
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')}`);
}

/** Returns whether a process has ended and let go of its files, even if its parent has not read its exit status. */
export function hasEnded(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null || /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Returns every command line on this machine. */
export function commandLines(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/cmdline`) ?? '')
    .join('\n');
}
