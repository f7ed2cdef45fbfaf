import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second, as `/proc` counts them: 100 on every Linux that Node supports. */
const TICKS = 100;

/**
 * Returns the processor time, in seconds, that a process and all of its descendants have used, those that have ended and
 * were waited for included. Where there is no `/proc`, it is NaN.
 */
export function processorSeconds(root: number): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const name of namesIn('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null;
    if (stat === null) continue;
    const pid = Number(name);
    const [, parent = 0] = stat;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
    ticks.set(
      pid,
      stat.slice(11, 15).reduce((sum, value) => sum + value, 0),
    );
  }
  const total = (pid: number): number =>
    (children.get(pid) ?? []).reduce((sum, child) => sum + total(child), ticks.get(pid) ?? Number.NaN);
  return total(root) / TICKS;
}

/** Returns the fields from the third on, the state (a letter) as NaN; null for a process that has ended. */
function statOf(pid: string): number[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
