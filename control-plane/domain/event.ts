// Build events as webhooks carry them: the kinds, and the whole payload.

import { buildConsoleUrl, buildLogUrl, type SiteAddresses } from './addresses.js';
import type { Build, BuildEvent, BuildStatus, WaitReason } from './build.js';
import type { Stall } from './stall.js';

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

export interface BuildEventInput {
  readonly eventId: string;
  readonly type: EventType;
  /** Counts the events of one build from 1. */
  readonly sequence: number;
  readonly occurredAt: number;
  readonly build: Build;
  readonly waitReason?: WaitReason | null;
  readonly stall?: Stall | null;
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const seconds = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1000));

/** The payload, complete; it is stored with the event and sent as it is. Times in seconds are whole. */
export function eventPayload(input: BuildEventInput, site: SiteAddresses) {
  const { build, stall, occurredAt } = input;
  const endedAt = build.endedAt ?? occurredAt;
  return {
    schema_version: 1,
    event_id: input.eventId,
    event_type: input.type,
    sequence: input.sequence,
    occurred_at: new Date(occurredAt).toISOString(),
    build: {
      id: build.buildId,
      status: build.status,
      exit_code: build.exitCode,
      end_reason: build.endReason,
      repo: build.repo,
      commit: build.commit,
      pr: build.pr,
      xcode: build.xcode,
      rental_id: build.rentalId,
      created_at: iso(build.createdAt),
      started_at: iso(build.startedAt),
      ended_at: iso(build.endedAt),
      queue_s: seconds(build.createdAt, build.startedAt ?? endedAt),
      run_s: build.startedAt === null ? null : seconds(build.startedAt, endedAt),
      duration_s: seconds(build.createdAt, endedAt),
      wait_reason: input.waitReason ?? null,
      failure: build.failure && {
        code: build.failure.reasonCode,
        fault: build.failure.fault,
        summary: build.failure.summary,
      },
      log_url: buildLogUrl(site, build.buildId),
      console_url: buildConsoleUrl(site, build.buildId),
    },
    stall: stall
      ? {
          reason: stall.reason,
          threshold_s: stall.thresholdS,
          since: iso(stall.since),
          last_output_at: iso(stall.lastOutputAt),
        }
      : null,
  };
}
