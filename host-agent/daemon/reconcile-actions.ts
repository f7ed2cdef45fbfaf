// What the host does about each difference between what should be and what is: two total tables, and nothing else.
import type { DesiredBuild, DesiredMac } from '../../shared/protocol/index.js';
import { isReached, type MacHave } from './macs/plan.js';

/**
 * unsaid: the control plane has not spoken since this daemon started. start: run it, everything needed is at hand.
 * keep: run it, it has been reported before.
 */
export type BuildDesire = 'unsaid' | 'start' | 'keep' | 'stop' | 'undesired';
export type BuildActual = 'absent' | 'starting' | 'running' | 'finished';

/** supersede: stop it, nobody wants it any more. deliver: bring log, artifacts and result to the control plane. */
export type BuildAction = 'nothing' | 'start' | 'stop' | 'supersede' | 'report_absent' | 'deliver';

export const buildActions: Readonly<Record<BuildDesire, Readonly<Record<BuildActual, BuildAction>>>> = {
  unsaid: { absent: 'nothing', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  start: { absent: 'start', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  keep: { absent: 'report_absent', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  stop: { absent: 'report_absent', starting: 'stop', running: 'stop', finished: 'deliver' },
  // The control plane acknowledges the end of what it no longer wants, and only then is it forgotten here.
  undesired: { absent: 'nothing', starting: 'supersede', running: 'supersede', finished: 'deliver' },
};

/** @param live whether the control plane has spoken since this daemon started */
export function buildDesireOf(desired: DesiredBuild | undefined, live: boolean): BuildDesire {
  if (!desired) return live ? 'undesired' : 'unsaid';
  if (desired.want === 'stop') return 'stop';
  return desired.spec && desired.secrets ? 'start' : 'keep';
}

export type MacDesire = 'unsaid' | 'wanted' | 'unwanted';
/** unfinished: an attempt to make or to remove it broke off. other: whole, but not the one that is wanted. */
export type MacActual = 'empty' | 'unfinished' | 'other' | 'same';
export type MacAction = 'nothing' | 'ensure' | 'remove';

export const macActions: Readonly<Record<MacDesire, Readonly<Record<MacActual, MacAction>>>> = {
  unsaid: { empty: 'nothing', unfinished: 'nothing', other: 'nothing', same: 'nothing' },
  wanted: { empty: 'ensure', unfinished: 'ensure', other: 'ensure', same: 'nothing' },
  unwanted: { empty: 'nothing', unfinished: 'remove', other: 'remove', same: 'remove' },
};

export function macActualOf(have: MacHave, desired: DesiredMac | undefined): MacActual {
  if (have === 'none') return 'empty';
  if (have === 'broken') return 'unfinished';
  return desired && isReached(have, desired) ? 'same' : 'other';
}
