// The object store of the service, and whether it answers.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { ObjectPacks } from '../blobs/object-packs.js';
import type { ObjectStore } from '../blobs/object-store.js';
import type { Degradation } from '../domain/degradation.js';

export interface ObjectPlace {
  readonly objects: ObjectStore;
  readonly packs: ObjectPacks;
  readonly health: ObjectHealth;
}

export type ObjectHealth = ReturnType<typeof createObjectHealth>;

/** @param realClock of this machine */
export function createObjectHealth({
  objects,
  realClock,
  log,
}: {
  readonly objects: Pick<ObjectStore, 'check'>;
  readonly realClock: Clock;
  readonly log: Log;
}) {
  let away: { readonly since: number; readonly reason: string } | null = null;

  return {
    /** Asks the store. Resolves also when it is away. */
    async look(): Promise<void> {
      try {
        await objects.check();
        if (away !== null) log.info('the object store answers again');
        away = null;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (away === null) log.error({ err: error }, 'the object store is away; what is to be kept there waits');
        away = { since: away?.since ?? realClock.monotonic(), reason };
      }
    },
    isAway: () => away !== null,
    degradations(): Degradation[] {
      if (away === null) return [];
      const seconds = Math.round((realClock.monotonic() - away.since) / 1000);
      const effects = 'Uploads and downloads are refused, and hosts keep artifacts, until it answers again.';
      return [
        { name: 'objects_away', message: `The object store has been away for ${seconds} s: ${away.reason} ${effects}` },
      ];
    },
  };
}
