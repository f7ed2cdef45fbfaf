// Kinds of build events, and which status change emits which.
import type { BuildEvent, BuildStatus } from './build.js';

export const buildEventTypes = [
  'build.succeeded',
  'build.failed',
  'build.cancelled',
  'build.expired',
  'build.stalled',
  'build.queued',
  'build.started',
  'build.completed',
] as const;
export type BuildEventType = (typeof buildEventTypes)[number];

const terminal: Readonly<Record<BuildStatus, readonly BuildEventType[]>> = {
  queued: [],
  running: [],
  succeeded: ['build.succeeded', 'build.completed'],
  failed: ['build.failed', 'build.completed'],
  cancelled: ['build.cancelled', 'build.completed'],
  expired: ['build.expired', 'build.completed'],
};

/** Returns the events of a status change, in order. A restarted build emits no second `started` event. */
export function eventsOfChange(event: BuildEvent, to: BuildStatus, requeued: boolean): readonly BuildEventType[] {
  if (event === 'assign') return requeued ? [] : ['build.started'];
  return terminal[to];
}

/** The type of a webhook's test request, which is not an event of a build. */
export const TEST_EVENT = 'webhook.test';
