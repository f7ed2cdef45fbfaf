// What still runs of builds on this machine, seen as the system sees it.
import { readdirSync, readFileSync } from 'node:fs';

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended meanwhile, or is not ours to look at.
    return null;
  }
};

/** Command lines of all processes whose environment holds one of the texts: each must be the caller's own. */
export function processesWith(...texts: string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      const environment = read(`/proc/${pid}/environ`) ?? '';
      return texts.some((text) => environment.includes(text));
    })
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ')}`);
}

/** Every command line on this machine. */
export function commandLines(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/cmdline`) ?? '')
    .join('\n');
}
