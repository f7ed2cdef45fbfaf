// What the host does about each difference between desired and actual state, as two complete tables.
import type { DesiredBuild, DesiredMac } from '../../shared/protocol/index.js';
import { isReached, type MacHave } from './macs/plan.js';

/**
 * unsaid: no desire has arrived since this daemon started. start: run the build, with everything needed. keep: run
 * the build, it has been reported before.
 */
export type BuildDesire = 'unsaid' | 'start' | 'keep' | 'stop' | 'undesired';
export type BuildActual = 'absent' | 'starting' | 'running' | 'finished';

/** supersede: stop it, it is no longer desired. deliver: send log, artifacts and result to the control plane. */
export type BuildAction = 'nothing' | 'start' | 'stop' | 'supersede' | 'report_absent' | 'deliver';

export const buildActions: Readonly<Record<BuildDesire, Readonly<Record<BuildActual, BuildAction>>>> = {
  unsaid: { absent: 'nothing', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  start: { absent: 'start', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  keep: { absent: 'report_absent', starting: 'nothing', running: 'nothing', finished: 'deliver' },
  stop: { absent: 'report_absent', starting: 'stop', running: 'stop', finished: 'deliver' },
  // The control plane acknowledges the end of what it no longer wants; only then is the build deleted here.
  undesired: { absent: 'nothing', starting: 'supersede', running: 'supersede', finished: 'deliver' },
};

/** @param live whether a desire has arrived since this daemon started */
export function buildDesireOf(desired: DesiredBuild | undefined, live: boolean): BuildDesire {
  if (!desired) return live ? 'undesired' : 'unsaid';
  if (desired.want === 'stop') return 'stop';
  return desired.spec && desired.secrets ? 'start' : 'keep';
}

export type MacDesire = 'unsaid' | 'wanted' | 'unwanted';
/**
 * unfinished: creating or removing it was interrupted. other: complete, but not the desired Mac. stopped: the desired Mac,
 * whose virtual machine does not run.
 */
export type MacActual = 'empty' | 'unfinished' | 'other' | 'stopped' | 'same';
export type MacAction = 'nothing' | 'ensure' | 'remove';

export const macActions: Readonly<Record<MacDesire, Readonly<Record<MacActual, MacAction>>>> = {
  unsaid: { empty: 'nothing', unfinished: 'nothing', other: 'nothing', stopped: 'nothing', same: 'nothing' },
  wanted: { empty: 'ensure', unfinished: 'ensure', other: 'ensure', stopped: 'ensure', same: 'nothing' },
  unwanted: { empty: 'nothing', unfinished: 'remove', other: 'remove', stopped: 'remove', same: 'remove' },
};

export function macActualOf(
  have: MacHave,
  desired: DesiredMac | undefined,
  stopped: boolean | undefined = false,
): MacActual {
  if (have === 'none') return 'empty';
  if (have === 'broken') return 'unfinished';
  if (!desired || !isReached(have, desired)) return 'other';
  return stopped ? 'stopped' : 'same';
}
