// The kinds of build events, and which change of a build announces which.
import type { BuildEvent, BuildStatus } from './build.js';

export const eventTypes = [
  'build.succeeded',
  'build.failed',
  'build.cancelled',
  'build.expired',
  'build.stalled',
  'build.queued',
  'build.started',
  'build.completed',
] as const;
export type EventType = (typeof eventTypes)[number];

const terminal: Readonly<Record<BuildStatus, readonly EventType[]>> = {
  queued: [],
  running: [],
  succeeded: ['build.succeeded', 'build.completed'],
  failed: ['build.failed', 'build.completed'],
  cancelled: ['build.cancelled', 'build.completed'],
  expired: ['build.expired', 'build.completed'],
};

/** What a change of status announces, in order. A build that is run again is not announced as started again. */
export function eventsOfChange(event: BuildEvent, to: BuildStatus, requeued: boolean): readonly EventType[] {
  if (event === 'assign') return requeued ? [] : ['build.started'];
  return terminal[to];
}

/** The type of the POST by which a webhook is tested; it is no event of a build. */
export const TEST_EVENT = 'webhook.test';
