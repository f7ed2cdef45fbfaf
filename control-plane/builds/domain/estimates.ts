// Estimates when running builds end and waiting builds start, from earlier builds of the same project and script or,
// without history, from the timeout as an upper bound.

import type { Mac } from '../../macs/domain/mac.js';
import type { Limits } from '../../platform/domain/limits.js';
import { fits, inRental, type Need, preferMac, readinessOf } from './placement.js';
import type { QueuedBuild } from './queue.js';
import { expectedRunMs, type History } from './run-times.js';

export interface RunningBuild {
  readonly buildId: string;
  readonly keyId: string | null;
  readonly rentalId: string | null;
  readonly deadlineAt: number | null;
  /** When its current attempt began. */
  readonly attemptStartedAt?: number | null;
  /** See source-key.ts. */
  readonly historyKey?: string | null;
}

/** history: at least one duration comes from earlier builds. timeout_budget: all durations are upper bounds. */
export type EstimateBasis = 'history' | 'timeout_budget';

const NO_HISTORY: History = new Map();

/** Returns when a running build will end, ms since the epoch; null without history. Never after its deadline. */
export function expectedEndOf(build: RunningBuild, history: History, now: number): number | null {
  const times = history.get(build.historyKey ?? '');
  if (times === undefined || build.attemptStartedAt == null) return null;
  const run = expectedRunMs(times, now - build.attemptStartedAt);
  return run === null ? null : Math.min(build.attemptStartedAt + run, build.deadlineAt ?? Number.POSITIVE_INFINITY);
}

/** Returns how long a waiting build will run: as earlier ones did, or its whole timeout. */
function runMsOf(build: QueuedBuild, history: History): number {
  const run = expectedRunMs(history.get(build.historyKey ?? '') ?? []);
  return Math.min(run ?? Number.POSITIVE_INFINITY, build.timeoutMin * 60_000);
}

/** Returns whether a start can be estimated: some suitable Mac is free now or has a known deadline. */
export function canEstimate(build: Need, macs: readonly Mac[]): boolean {
  return macs.some((mac) => {
    const readiness = readinessOf(mac);
    return (readiness === 'free' || readiness === 'busy') && fits(mac, build);
  });
}

/**
 * Schedules the waiting builds in order, each on the Mac that can start it first. Null if no Mac with a known ready
 * time can take the build before its rental ends.
 *
 * @param queued in queue order
 * @returns start per build id, ms since the epoch
 */
export function estimateStarts(input: {
  now: number;
  macs: readonly Mac[];
  running: readonly RunningBuild[];
  queued: readonly QueuedBuild[];
  limits: Limits;
  history?: History;
}): Map<string, number | null> {
  const { now, macs, running, queued, limits, history = NO_HISTORY } = input;
  const endOf = (build: RunningBuild) => expectedEndOf(build, history, now) ?? build.deadlineAt;
  const ends = new Map(running.map((build) => [build.rentalId, endOf(build)]));
  const freeAt = new Map<Mac, number>();
  for (const mac of macs) {
    const readiness = readinessOf(mac);
    const end = ends.get(mac.rentalId);
    if (readiness === 'free') freeAt.set(mac, now);
    if (readiness === 'busy' && end) freeAt.set(mac, Math.max(now, end));
  }
  const slots = new Map<string, number[]>();
  // With as many slots as builds there is always a free one.
  const most = Math.min(limits.concurrent_builds, running.length + queued.length);
  for (const build of running) {
    const { keyId } = build;
    if (keyId !== null) occupy(slotsOf(slots, keyId, now, most), Math.max(now, endOf(build) ?? now));
  }

  const starts = new Map<string, number | null>();
  for (const build of queued) {
    const ofKey = build.keyId === null ? null : slotsOf(slots, build.keyId, now, most);
    const keyFreeAt = ofKey?.[0] ?? now;
    let best: { mac: Mac; start: number } | null = null;
    for (const [mac, free] of freeAt) {
      const start = Math.max(free, keyFreeAt);
      if (!fits(mac, build) || !inRental(mac, start)) continue;
      if (best && (start > best.start || (start === best.start && !prefers(build, mac, best.mac, start)))) {
        continue;
      }
      best = { mac, start };
    }
    starts.set(build.buildId, best?.start ?? null);
    if (!best) continue;
    const end = best.start + runMsOf(build, history);
    freeAt.set(best.mac, end);
    if (ofKey) occupy(ofKey, end);
  }
  return starts;
}

const prefers = (build: QueuedBuild, mac: Mac, other: Mac, at: number) =>
  preferMac(mac, other, at, build.timeoutMin * 60_000) < 0;

/** When each of a key's concurrent builds ends, soonest first; a further build waits for the first. */
function slotsOf(slots: Map<string, number[]>, keyId: string, now: number, most: number): number[] {
  const known = slots.get(keyId) ?? new Array<number>(most).fill(now);
  slots.set(keyId, known);
  return known;
}

/** Puts a build into the slot that becomes free first, keeping the order. */
function occupy(slots: number[], until: number): void {
  let i = 0;
  for (; i + 1 < slots.length && (slots[i + 1] ?? until) < until; i++) slots[i] = slots[i + 1] ?? until;
  if (slots.length > 0 && (slots[0] ?? until) <= until) slots[i] = until;
}
