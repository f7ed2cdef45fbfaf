// Reserves room for the artifacts of a build before their bytes are received, so that concurrent requests cannot exceed
// the build's limits. Reservations are in memory and end with their request or with the process.
import { createKeyedLock } from '../../platform/app/keyed-lock.js';
import type { Limits } from '../../platform/domain/limits.js';
import type { Queries } from '../../platform/store/sql.js';
import { artifactTotals, findArtifactByName } from '../store/artifacts.js';

interface Attempt {
  readonly buildId: string;
  readonly attempt: number;
}

interface Amount {
  files: number;
  bytes: number;
}

interface Reserved extends Amount {
  /** Artifacts already stored; null if they must be read again. */
  stored: Amount | null;
  readonly waiting: (() => void)[];
}

export interface Reservation {
  /** Runs the work that writes the artifacts' rows, then releases the reservation, even if the work fails. */
  record<T>(work: () => Promise<T>): Promise<T>;
  /** Releases the reservation. Must always be called at the end. */
  release(): void;
}

export type ArtifactRoom = ReturnType<typeof createArtifactRoom>;

export function createArtifactRoom(store: Queries, limits: Pick<Limits, 'artifact_files' | 'artifact_bytes'>) {
  const reserved = new Map<string, Reserved>();
  // Serialized per attempt: totals and reservations must be read and changed together.
  const lock = createKeyedLock();

  const fits = (used: Amount, bytes: number) =>
    used.files < limits.artifact_files && used.bytes + bytes <= limits.artifact_bytes;

  const take = (key: string, bytes: number, stored: Amount): Reservation => {
    const all = reserved.get(key) ?? { files: 0, bytes: 0, stored, waiting: [] };
    reserved.set(key, all);
    all.files++;
    all.bytes += bytes;
    let open = true;
    const release = () => {
      if (!open) return;
      open = false;
      all.files--;
      all.bytes -= bytes;
      if (all.files === 0) reserved.delete(key);
      for (const go of all.waiting.splice(0)) go();
    };
    const record = <T>(work: () => Promise<T>) =>
      lock.run(key, () => {
        all.stored = null;
        return work().finally(release);
      });
    return { record, release };
  };

  return {
    /**
     * Reserves room for one more artifact.
     *
     * @returns `full` if it exceeds the build's limits; `taken` if it would fit without the reservations of other
     *   requests
     */
    reserve: ({ name, bytes, ...of }: Attempt & { name: string; bytes: number }) =>
      lock.run(keyOf(of), async () => {
        const key = keyOf(of);
        const others = reserved.get(key);
        const stored = others?.stored ?? (await artifactTotals(store, of));
        if (others) others.stored = stored;
        let kept = stored;
        if (!fits(kept, bytes)) {
          // It may replace an earlier one.
          const earlier = await findArtifactByName(store, { ...of, name });
          if (earlier) kept = { files: kept.files - 1, bytes: kept.bytes - earlier.bytes };
          if (!fits(kept, bytes)) return 'full';
        }
        const used = {
          files: kept.files + (others?.files ?? 0),
          bytes: kept.bytes + (others?.bytes ?? 0),
        };
        return fits(used, bytes) ? take(key, bytes, stored) : 'taken';
      }),
    /** Resolves when a reservation of this attempt ends, or immediately if there is none. */
    changed(of: Attempt): Promise<void> {
      const all = reserved.get(keyOf(of));
      return all ? new Promise((resolve) => all.waiting.push(resolve)) : Promise.resolve();
    },
  };
}

const keyOf = ({ buildId, attempt }: Attempt) => `${buildId}/${attempt}`;
