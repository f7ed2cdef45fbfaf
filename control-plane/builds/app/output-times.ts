// When running builds last printed something, by the arrival of the bytes.
import type { Clock } from '../../../shared/clock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Store } from '../../platform/store/sql.js';
import { recordOutput } from '../store/build-hosts.js';

/** Builds of which it is remembered when output was last noted; forgetting one costs a write. */
const REMEMBERED = 1_000;

export interface OutputTimes {
  /** Bytes of this attempt have arrived: notes the time, at most once every `output_noted_ms`. */
  arrived(hostId: string, buildId: string, attempt: number): Promise<void>;
}

export function createOutputTimes(deps: {
  store: Store;
  clock: Clock;
  limits: Pick<Limits, 'output_noted_ms'>;
}): OutputTimes {
  const { store, clock, limits } = deps;
  const noted = new Map<string, number>();
  return {
    async arrived(hostId, buildId, attempt) {
      const now = clock.now();
      const name = `${buildId}/${attempt}`;
      const last = noted.get(name);
      if (last !== undefined && now - last < limits.output_noted_ms) return;
      if (noted.size >= REMEMBERED) noted.clear();
      noted.set(name, now);
      await store.transaction((tx) => recordOutput(tx, { hostId, buildId, attempt, now }));
    },
  };
}
