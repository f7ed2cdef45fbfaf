// Begins the trial of a version, and ends it: by keeping the version, or by returning to the one before.
import type { Message } from '../../shared/messages/message.js';
import { upgradeError } from '../../shared/messages/upgrade-errors.js';
import type { ProgramPaths } from './paths.js';
import { beginTrial, endTrial, outcomeFields, readTrial, type Trial, type TrialState, writeOutcome } from './trial.js';
import { currentVersion, makeCurrent } from './versions.js';

/** Makes `trial.to` the current version, on trial. The agent has to be restarted then. */
export function switchTo(paths: ProgramPaths, trial: Trial): void {
  beginTrial(paths, trial);
  makeCurrent(paths, trial.to);
}

/** Ends the trial of the version that is running: it works. */
export function keepVersion(paths: ProgramPaths, { to, attempt }: Trial): void {
  writeOutcome(paths, { attempt, version: to, state: 'idle', ...outcomeFields(null) });
  endTrial(paths);
}

/**
 * To be called when an agent starts, by the version `own` that is running. Returns the trial if that version is on trial.
 * If it is the version before, which the launcher has started because the trial failed, it becomes the current one again.
 * Can be repeated after a crash at any point.
 */
export function settleTrial(paths: ProgramPaths, own: string): TrialState | null {
  const trial = readTrial(paths);
  if (trial?.to === own) return trial;
  if (trial?.from === own) {
    // Interrupted before the switch: nothing has been tried.
    const untried = currentVersion(paths) === own && trial.starts === 0 && trial.failed === null;
    if (!untried) {
      const { attempt, to } = trial;
      writeOutcome(paths, { attempt, version: to, state: 'rolled_back', ...outcomeFields(failureOf(trial)) });
      makeCurrent(paths, own);
    }
  }
  // Nothing, a damaged file, or a trial of versions that an installer has replaced.
  endTrial(paths);
  return null;
}

function failureOf({ to, from, failed, needs, seconds, most }: TrialState): Message {
  if (failed === 'hung') {
    return upgradeError(needs === 'welcome' ? 'did_not_connect' : 'did_not_start', { to, from, seconds });
  }
  if (failed === 'crashed') return upgradeError('crashed', { to, from, times: most });
  return upgradeError('start_not_recorded', { to, from });
}
