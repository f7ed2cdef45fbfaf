// Throughput for operators' charts.
import type { Clock } from '../../../shared/clock.js';
import type { Step } from '../../platform/app/turns.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries } from '../../platform/store/sql.js';
import { createThroughput, type Range, type ThroughputFigures } from '../domain/throughput.js';
import { readBuildSpans, readMacSpans, readSlotSpans } from '../store/throughput.js';

export type Throughput = ReturnType<typeof createThroughputReads>;

/** Builds that started in this time are read at once. */
const CHUNK_MS = 6 * 3_600_000;

export function createThroughputReads(deps: {
  readonly store: Queries;
  readonly clock: Pick<Clock, 'now'>;
  readonly limits: Pick<Limits, 'build_timeout_min_max'>;
}) {
  const { store, clock, limits } = deps;
  return {
    async read(range: Range, step: Step): Promise<ThroughputFigures> {
      const { from, to } = range;
      const found = createThroughput(range, clock.now());
      // A build that started before the range may have run in it.
      const longest = 2 * limits.build_timeout_min_max * 60_000;
      for (let at = from - longest; at < to; at += CHUNK_MS) {
        const builds = await readBuildSpans(store, { from: at, to: Math.min(at + CHUNK_MS, to) });
        for (const build of builds) found.addBuild(build);
        await step();
      }
      for (const mac of await readMacSpans(store, range)) found.addMac(mac);
      for (const slot of await readSlotSpans(store, range)) found.addSlot(slot);
      return found.result();
    },
  };
}
