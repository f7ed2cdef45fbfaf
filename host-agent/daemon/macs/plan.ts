// Plans the steps from what a Mac is to what it should be.
import type { DesiredMac, ImageProgress, MacProgress } from '../../../shared/protocol/index.js';
import type { HostMac, MacRecord } from '../../driver/driver.js';

export type MacStep =
  | { readonly do: 'remove' }
  | { readonly do: 'create' }
  | { readonly do: 'start' }
  | { readonly do: 'empty_work' }
  | { readonly do: 'repair' }
  | { readonly do: 'xcode'; readonly version: string }
  | { readonly do: 'runtime'; readonly name: string }
  | { readonly do: 'tool'; readonly name: string };

/** none: the slot is empty. broken: creating or removing the Mac was interrupted. */
export type MacHave = MacRecord | 'none' | 'broken';

export const haveOf = (held: HostMac | undefined): MacHave => (held === undefined ? 'none' : (held.record ?? 'broken'));

/** Returns whether the slot holds the desired Mac in the desired revision. */
export function isReached(have: MacHave, want: DesiredMac): boolean {
  return isSameMac(have, want) && have.revision === want.revision;
}

/** Returns whether the Mac can be changed without creating it again. */
export function isSameMac(have: MacHave, want: DesiredMac): have is MacRecord {
  return typeof have === 'object' && have.rental_id === want.rental_id && have.generation === want.generation;
}

/**
 * Returns the steps in order. After the last one the Mac's record has to be written; a plan without steps leaves only
 * that. Every step is idempotent, so an interrupted plan is planned again.
 *
 * @param stopped the Mac's virtual machine does not run
 * @example planOf('none', { …, xcode: '26.1' }) // [{ do: 'create' }, { do: 'xcode', version: '26.1' }]
 */
export function planOf(have: MacHave, want: DesiredMac, stopped = false): MacStep[] {
  const kept = isSameMac(have, want) ? have : null;
  const reached = isReached(have, want);
  // A repair boots the Mac itself.
  const steps: MacStep[] = kept && stopped && (reached || !want.repair) ? [{ do: 'start' }] : [];
  if (reached) return steps;
  if (!kept) {
    if (have !== 'none') steps.push({ do: 'remove' });
    steps.push({ do: 'create' });
  } else if (want.repair) steps.push({ do: 'repair' });
  else if (want.empty_work) steps.push({ do: 'empty_work' });
  if (want.xcode !== null && want.xcode !== kept?.xcode) steps.push({ do: 'xcode', version: want.xcode });
  const lacks = (names: readonly string[], has: readonly string[] = []) => names.filter((name) => !has.includes(name));
  for (const name of lacks(want.runtimes, kept?.runtimes)) steps.push({ do: 'runtime', name });
  for (const name of lacks(want.tools, kept?.tools)) steps.push({ do: 'tool', name });
  return steps;
}

const NAMES: Readonly<Record<MacStep['do'], MacProgress['step']>> = {
  remove: 'remove',
  create: 'create',
  start: 'create',
  empty_work: 'empty_work',
  repair: 'create',
  xcode: 'xcode',
  runtime: 'runtimes',
  tool: 'tools',
};

/**
 * Returns the progress of a plan when step `index` (from 0) is `percent` done.
 *
 * @param image while the Mac's image is being fetched
 */
export function progressOf(
  steps: readonly MacStep[],
  index: number,
  percent: number,
  image?: ImageProgress,
): MacProgress | null {
  const step = steps[index];
  if (!step) return null;
  const bounded = Math.min(100, Math.max(0, percent));
  const whole = Math.floor((index * 100 + bounded) / steps.length);
  return { step: NAMES[step.do], percent: whole, ...(image === undefined ? {} : { image }) };
}
