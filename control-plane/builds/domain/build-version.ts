// The version of a build, which tells those who wait for it whether something has changed.
import type { BuildStep } from '../../../shared/build.js';
import type { Build } from './build.js';

/**
 * Returns a text that changes with each status, attempt, step and event such as a stall. Output does not change it:
 * otherwise every line would wake those who wait.
 */
export const buildVersion = ({ attempt, eventSequence, steps }: Build): string =>
  `${attempt}.${eventSequence}.${steps.length}`;

/** The step that a running build is in; null before the first one and when it does not run. */
export const phaseOf = ({ status, steps }: Build): BuildStep | null =>
  status === 'running' ? (steps.at(-1)?.step ?? null) : null;
