// The only code that changes a build's status: a guarded update with its events in the same transaction, and wake-ups
// after the commit.
import type { Clock } from '../../../shared/clock.js';
import { namesOfMacs } from '../../macs/app/mac-names.js';
import type { SiteAddresses } from '../../platform/domain/addresses.js';
import { newId } from '../../platform/domain/ids.js';
import { insertEvent } from '../../platform/store/outbox.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import { type Build, type BuildEvent, buildTransitions, type WaitReason } from '../domain/build.js';
import { type BuildEventType, eventsOfChange } from '../domain/event.js';
import { eventPayload } from '../domain/event-payload.js';
import type { Stall } from '../domain/stall.js';
import { type BuildChanges, changeBuild } from '../store/build-status.js';

export interface ChangeDeps {
  readonly clock: Clock;
  readonly wake: Wake;
  readonly site: SiteAddresses;
}

/** Returns the name of the Mac that the build runs or ran on. */
export async function macNameOf(q: Queries, { rentalId }: Pick<Build, 'rentalId'>): Promise<string | null> {
  return rentalId === null ? null : ((await namesOfMacs(q, [rentalId])).get(rentalId) ?? null);
}

/** Event fields besides the build. */
export interface EventContext {
  readonly waitReason?: WaitReason | null;
  readonly stall?: Stall | null;
}

/**
 * Returns null, having written nothing, if the build has changed since it was read or the transition is not allowed.
 */
export async function changeBuildStatus(
  tx: Transaction,
  deps: ChangeDeps,
  seen: Pick<Build, 'buildId' | 'status' | 'attempt' | 'requeued'>,
  event: BuildEvent,
  changes: BuildChanges,
): Promise<Build | null> {
  const to = buildTransitions[seen.status][event];
  if (to === null) return null;
  const types = eventsOfChange(event, to, seen.requeued);
  const changed = await changeBuild(tx, seen, event, changes, types.length);
  if (!changed) return null;
  await recordEvents(tx, deps, changed.build, changed.firstSequence, types);
  wakeOnCommit(tx, deps.wake, changed.build);
  return changed.build;
}

/** Writes events with their reserved sequence numbers. */
export async function recordEvents(
  tx: Transaction,
  deps: ChangeDeps,
  build: Build,
  firstSequence: number,
  types: readonly BuildEventType[],
  context: EventContext = {},
): Promise<void> {
  const occurredAt = deps.clock.now();
  const macName = types.length === 0 ? null : await macNameOf(tx, build);
  for (const [index, type] of types.entries()) {
    const eventId = newId('evt');
    const sequence = firstSequence + index;
    const payload = eventPayload({ eventId, type, sequence, occurredAt, build, macName, ...context }, deps.site);
    await insertEvent(tx, {
      eventId,
      accountId: build.accountId,
      subjectKind: 'build',
      subjectId: build.buildId,
      eventType: type,
      sequence,
      occurredAt,
      payload: JSON.stringify(payload),
    });
  }
  if (types.length === 0) return;
  tx.onCommit(() => {
    deps.wake.wake('events');
    deps.wake.wake('build', build.buildId);
  });
}

/**
 * Wakes waiters for this build, its account's queue and its host's desired state.
 *
 * @param schedule false if this change cannot let another build start
 */
export function wakeOnCommit(tx: Transaction, wake: Wake, build: Build, schedule = true): void {
  tx.onCommit(() => {
    const account = String(build.accountId);
    wake.wake('build', build.buildId);
    wake.wake('build-log', build.buildId);
    wake.wake('builds', account, { id: build.buildId, workspaceId: build.workspaceId });
    if (build.status === 'running') wake.wake('running', build.buildId);
    if (schedule) wake.wake('scheduler', account);
    if (build.hostId !== null) wake.wake('host', build.hostId);
  });
}
