// What changes about a build for those who wait.
import type { BuildStep } from '../../../shared/build.js';
import type { Build } from './build.js';

/**
 * Returns another text after each change of status, attempt or step, and after each event such as a stall. Output changes
 * nothing: who waits would be woken with every line.
 */
export const buildVersion = ({ attempt, eventSequence, steps }: Build): string =>
  `${attempt}.${eventSequence}.${steps.length}`;

/** The step that a running build is in; null before the first one and when it does not run. */
export const phaseOf = ({ status, steps }: Build): BuildStep | null =>
  status === 'running' ? (steps.at(-1)?.step ?? null) : null;
