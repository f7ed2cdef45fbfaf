// Webhook payloads: the shapes of events and of the test, and the projection of a build onto them.
import { z } from 'zod';
import { buildConsoleUrl, buildLogUrl, type SiteAddresses } from '../../platform/domain/addresses.js';
import { enumeration } from '../../platform/domain/enumeration.js';
import { isoTime } from '../../platform/domain/iso-time.js';
import type { Build, WaitReason } from './build.js';
import { buildStatus, endReason, failureFault, waitReason } from './build-words.js';
import { type BuildEventType, buildEventTypes, TEST_EVENT } from './event.js';
import { type Stall, stallReasons } from './stall.js';

export const buildEventMeanings: Readonly<Record<BuildEventType, string>> = {
  'build.succeeded': 'it ended with exit code 0',
  'build.failed': 'another exit code, a timeout or a platform failure',
  'build.cancelled': 'it was canceled, or its Mac’s rental ended',
  'build.expired': 'it could not start',
  'build.stalled': 'it waits long, or runs long without output; once per build and reason',
  'build.queued': 'it was accepted; only for webhooks that list it',
  'build.started': 'it has started on a Mac; only for webhooks that list it',
  'build.completed': 'beside each of the four ends; only for webhooks that list it',
};

export const buildEventType = enumeration(buildEventTypes, {
  id: 'BuildEventType',
  about: 'What happened to a build.',
  meanings: buildEventMeanings,
});

const time = z.string().meta({ format: 'date-time' });
const seconds = z.int().min(0);
const text = z.string().nullable();

const buildShape = z
  .object({
    id: z.string(),
    status: buildStatus,
    exit_code: z.int().nullable(),
    end_reason: endReason.nullable(),
    repo: text.meta({ description: '`owner/name` on the code host' }),
    commit: text.meta({ description: 'As requested; may be abbreviated' }),
    commit_sha: text.meta({ description: 'The commit that was checked out. Null before that.' }),
    pr: z.int().nullable(),
    xcode: text,
    rental_id: text.meta({ title: 'The Mac that it runs or ran on' }),
    rental_name: text.meta({ title: 'What the account called it then' }),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    queue_s: seconds,
    run_s: seconds.nullable(),
    duration_s: seconds.meta({ title: 'From its creation to its end, or to the event' }),
    wait_reason: waitReason.nullable(),
    failure: z
      .object({
        code: z.string().meta({ description: 'The `reason_code` of its failure' }),
        fault: failureFault,
        summary: z.string().meta({ description: 'From the log: text of the build, not of the service' }),
      })
      .nullable(),
    log_url: z.string().meta({ title: 'For programs, with a key' }),
    console_url: z.string().meta({ title: 'For people who are signed in' }),
  })
  .meta({ id: 'WebhookBuild', title: 'The build as it was when the event happened' });

const stallShape = z
  .object({
    reason: enumeration(stallReasons, {
      plain: true,
      meanings: { queued_too_long: 'it has not started', no_log_output: 'it runs and prints nothing' },
    }),
    threshold_s: seconds,
    since: time,
    last_output_at: time.nullable(),
  })
  .meta({ id: 'WebhookStall' });

const head = {
  schema_version: z.literal(1),
  event_id: z.string().meta({ description: 'The same at each delivery' }),
};
const sequence = z.int().min(1).meta({ description: 'Within the build, from 1' });
const occurred_at = time;
const build = buildShape;

export const changedShape = z
  .object({
    ...head,
    event_type: buildEventType.exclude(['build.stalled']),
    sequence,
    occurred_at,
    build,
    stall: z.null(),
  })
  .meta({ id: 'BuildChangedEvent', title: 'A build was accepted, has started or has ended' });

export const stalledShape = z
  .object({
    ...head,
    event_type: z.literal('build.stalled'),
    sequence,
    occurred_at,
    build,
    stall: stallShape,
  })
  .meta({ id: 'BuildStalledEvent', title: 'A build makes no progress; its status does not change' });

export const testShape = z
  .object({
    ...head,
    event_type: z.literal(TEST_EVENT),
    sequence: z.literal(0),
    occurred_at,
    build: z.null(),
    stall: z.null(),
  })
  .meta({
    id: 'WebhookTestEvent',
    title: 'Sent at registration, when the address changes, and by request',
  });

/** The shape of every event by its kind. */
export const buildEventShapes: Readonly<Record<BuildEventType, z.ZodType>> = {
  'build.succeeded': changedShape,
  'build.failed': changedShape,
  'build.cancelled': changedShape,
  'build.expired': changedShape,
  'build.stalled': stalledShape,
  'build.queued': changedShape,
  'build.started': changedShape,
  'build.completed': changedShape,
};

export type EventPayload = z.infer<typeof changedShape> | z.infer<typeof stalledShape>;

export interface BuildEventInput {
  readonly eventId: string;
  readonly type: BuildEventType;
  /** Sequence number of the event within its build, from 1. */
  readonly sequence: number;
  readonly occurredAt: number;
  readonly build: Build;
  /** Of the Mac that it runs on; null without one. */
  readonly macName: string | null;
  readonly waitReason?: WaitReason | null;
  readonly stall?: Stall | null;
}

const wholeSeconds = (from: number, to: number) => Math.max(0, Math.floor((to - from) / 1000));

/** Returns the complete payload, which is stored with the event and sent unchanged. Durations are in whole seconds. */
export function eventPayload(input: BuildEventInput, site: SiteAddresses): EventPayload {
  const { type, stall } = input;
  const head = { schema_version: 1, event_id: input.eventId } as const;
  const rest = {
    sequence: input.sequence,
    occurred_at: isoTime(input.occurredAt),
    build: buildPayload(input, site),
  };
  if (type !== 'build.stalled') return { ...head, event_type: type, ...rest, stall: null };
  if (!stall) throw new Error(`${input.eventId}: a stall without its reason`);
  return {
    ...head,
    event_type: type,
    ...rest,
    stall: {
      reason: stall.reason,
      threshold_s: stall.thresholdS,
      since: isoTime(stall.since),
      last_output_at: isoTime(stall.lastOutputAt),
    },
  };
}

function buildPayload(
  { build, macName, occurredAt, waitReason }: BuildEventInput,
  site: SiteAddresses,
): z.infer<typeof buildShape> {
  const endedAt = build.endedAt ?? occurredAt;
  return {
    id: build.buildId,
    status: build.status,
    exit_code: build.exitCode,
    end_reason: build.endReason,
    repo: build.repo,
    commit: build.commit,
    commit_sha: build.commitSha,
    pr: build.pr,
    xcode: build.xcode,
    rental_id: build.rentalId,
    rental_name: macName,
    created_at: isoTime(build.createdAt),
    started_at: isoTime(build.startedAt),
    ended_at: isoTime(build.endedAt),
    queue_s: wholeSeconds(build.createdAt, build.startedAt ?? endedAt),
    run_s: build.startedAt === null ? null : wholeSeconds(build.startedAt, endedAt),
    duration_s: wholeSeconds(build.createdAt, endedAt),
    wait_reason: waitReason ?? null,
    failure: build.failure && {
      code: build.failure.reasonCode,
      fault: build.failure.fault,
      summary: build.failure.summary,
    },
    log_url: buildLogUrl(site, build.buildId),
    console_url: buildConsoleUrl(site, build.buildId),
  };
}

/** The test request of a webhook, which is not an event of a build. */
export function testPayload(eventId: string, now: number): z.infer<typeof testShape> {
  return {
    schema_version: 1,
    event_id: eventId,
    event_type: TEST_EVENT,
    sequence: 0,
    occurred_at: isoTime(now),
    build: null,
    stall: null,
  };
}
