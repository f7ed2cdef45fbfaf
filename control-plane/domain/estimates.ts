// When waiting builds will start at the latest, should every build use its whole timeout.
import type { Limits } from './limits.js';
import { fits, inRental, preferMac, readinessOf } from './placement.js';
import type { QueuedBuild } from './queue.js';
import type { Mac } from './rental.js';

export interface RunningBuild {
  readonly buildId: string;
  readonly keyId: string | null;
  readonly rentalId: string | null;
  readonly deadlineAt: number | null;
}

/**
 * Schedules the waiting builds one after the other, each on the Mac that can begin it first. Null where no Mac
 * whose readiness is known can take the build before its rental ends.
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
}): Map<string, number | null> {
  const { now, macs, running, queued, limits } = input;
  const deadlines = new Map(running.map((build) => [build.rentalId, build.deadlineAt]));
  const freeAt = new Map<Mac, number>();
  for (const mac of macs) {
    const readiness = readinessOf(mac);
    const deadline = deadlines.get(mac.rentalId);
    if (readiness === 'free') freeAt.set(mac, now);
    if (readiness === 'busy' && deadline) freeAt.set(mac, Math.max(now, deadline));
  }
  // Ends of the builds of each key, as far as they are planned: a key at its limit waits for one of them.
  const ends = new Map<string, number[]>();
  const endsOf = (keyId: string) => {
    const list = ends.get(keyId) ?? [];
    ends.set(keyId, list);
    return list;
  };
  for (const build of running) {
    if (build.keyId !== null) endsOf(build.keyId).push(Math.max(now, build.deadlineAt ?? now));
  }

  const starts = new Map<string, number | null>();
  for (const build of queued) {
    const ofKey = build.keyId === null ? [] : endsOf(build.keyId).sort((a, b) => b - a);
    const keyFreeAt = ofKey[limits.concurrent_builds - 1] ?? now;
    let best: { mac: Mac; start: number } | null = null;
    for (const [mac, free] of freeAt) {
      const start = Math.max(free, keyFreeAt);
      if (!fits(mac, build) || !inRental(mac, start)) continue;
      if (
        !best ||
        start < best.start ||
        (start === best.start && preferMac(mac, best.mac, start, build.timeoutMs) < 0)
      ) {
        best = { mac, start };
      }
    }
    starts.set(build.buildId, best?.start ?? null);
    if (!best) continue;
    freeAt.set(best.mac, best.start + build.timeoutMs);
    ofKey.push(best.start + build.timeoutMs);
  }
  return starts;
}
