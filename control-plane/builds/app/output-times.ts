// Records when running builds last printed something, by the arrival time of the bytes.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Limits } from '../../platform/domain/limits.js';
import { type Store, StoreFailedError } from '../../platform/store/sql.js';
import { recordOutput } from '../store/build-hosts.js';

/** Builds whose last recorded time is cached; evicting one costs an extra write. */
const REMEMBERED = 1_000;

export interface OutputTimes {
  /**
   * Records that output of this attempt has arrived, at most once every `output_noted_ms`. Not awaited, so that a slow
   * or failed database disk does not hold up the log.
   */
  arrived(hostId: string, buildId: string, attempt: number): void;
}

export function createOutputTimes(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'output_noted_ms'>;
  log: Log;
}): OutputTimes {
  const { store, clock, limits, log } = deps;
  const noted = new Map<string, number>();
  const writing = new Set<string>();
  return {
    arrived(hostId, buildId, attempt) {
      const now = clock.now();
      const arrivedAt = clock.monotonic();
      const name = `${buildId}/${attempt}`;
      const last = noted.get(name);
      if (writing.has(name) || (last !== undefined && arrivedAt - last < limits.output_noted_ms)) return;
      if (noted.size >= REMEMBERED) noted.clear();
      noted.set(name, arrivedAt);
      writing.add(name);
      store
        .transaction((tx) => recordOutput(tx, { hostId, buildId, attempt, now }))
        .catch((error: unknown) => {
          // The store reports a failed disk itself.
          if (error instanceof StoreFailedError) return;
          log.warn({ err: error, build_id: buildId }, 'the time of the last output was not stored');
        })
        .finally(() => writing.delete(name));
    },
  };
}
