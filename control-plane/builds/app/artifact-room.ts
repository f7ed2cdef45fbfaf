// Room for the artifacts of a build: reserved before bytes are received, so that the build's limits hold over any number
// of concurrent requests. Reservations are in memory: they end with their request, or with this process.
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
  /** What is stored besides; null: has to be read again. */
  stored: Amount | null;
  readonly waiting: (() => void)[];
}

export interface Reservation {
  /** Runs the work that writes the artifacts' rows, then gives the reservation back, also when the work fails. */
  record<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the reservation back; to be called at the end in any case. */
  release(): void;
}

export interface ArtifactRoom {
  /**
   * Reserves room for one more artifact.
   *
   * @returns `full` when it exceeds the build's limits; `taken` when only the reservations of other requests are in
   *   the way
   */
  reserve(of: Attempt & { name: string; bytes: number }): Promise<Reservation | 'full' | 'taken'>;
  /** Resolves when a reservation of this attempt has ended; at once when there is none. */
  changed(of: Attempt): Promise<void>;
}

export function createArtifactRoom(
  store: Queries,
  limits: Pick<Limits, 'artifact_files' | 'artifact_bytes'>,
): ArtifactRoom {
  const reserved = new Map<string, Reserved>();
  // Totals and reservations are read, and change together, one request of an attempt at a time.
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
    reserve: ({ name, bytes, ...of }) =>
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
    changed(of) {
      const all = reserved.get(keyOf(of));
      return all ? new Promise((resolve) => all.waiting.push(resolve)) : Promise.resolve();
    },
  };
}

const keyOf = ({ buildId, attempt }: Attempt) => `${buildId}/${attempt}`;
