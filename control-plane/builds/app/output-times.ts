// Records when running builds last printed something, by the arrival of the bytes and how old the host says they are.
import type { Core } from '../../platform/app/core.js';
import type { Limits } from '../../platform/domain/limits.js';
import { StoreFailedError } from '../../platform/store/sql.js';
import { recordOutput } from '../store/build-hosts.js';

/** Builds whose last recorded time is cached; evicting one costs an extra write. */
const REMEMBERED = 1_000;

export function createOutputTimes(
  deps: Pick<Core, 'store' | 'clock' | 'log'> & {
    limits: Pick<Limits, 'output_noted_ms'>;
  },
) {
  const { store, clock, limits, log } = deps;
  const noted = new Map<string, number>();
  const writing = new Set<string>();
  return {
    /**
     * Records that output of this attempt has arrived, at most once every `output_noted_ms`. Not awaited, so that a slow
     * or failed database disk does not hold up the log.
     *
     * @param silentMs how long ago the attempt had printed last: more than 0 for bytes that waited for the link
     */
    arrived(of: { hostId: string; buildId: string; attempt: number }, silentMs: number): void {
      const { buildId, attempt } = of;
      const now = clock.now() - silentMs;
      const printedAt = clock.monotonic() - silentMs;
      const name = `${buildId}/${attempt}`;
      const last = noted.get(name);
      const isKnown = last !== undefined && Math.abs(printedAt - last) < limits.output_noted_ms;
      if (writing.has(name) || isKnown) return;
      if (noted.size >= REMEMBERED) noted.clear();
      noted.set(name, printedAt);
      writing.add(name);
      store
        .transaction((tx) => recordOutput(tx, { ...of, now }))
        .catch((error: unknown) => {
          // The store reports a failed disk itself.
          if (error instanceof StoreFailedError) return;
          log.warn({ err: error, build_id: buildId }, 'the time of the last output was not stored');
        })
        .finally(() => writing.delete(name));
    },
  };
}
