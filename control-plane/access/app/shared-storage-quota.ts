// Reservations of storage of several processes. They are counted together and given back when their process ends.
import { systemClock } from '../../../shared/clock.js';
import { pause } from '../../../shared/pause.js';
import type { SharedCounts } from '../../platform/domain/shared-state.js';
import { exceeded, type QuotaKind, type Reservation, type Room, type StorageOwner } from './storage-reservation.js';

/** Bytes to reserve at a time while there is much room, so that small files do not need queries each. */
const STEP = 1024 * 1024;
const MUCH_ROOM = 64 * STEP;
/** How often it is tried while others have reserved room, and how long it waits between at most. */
const TRIES = 6;
const PAUSE_MS = 40;

export function beginShared(
  counts: SharedCounts,
  owner: StorageOwner,
  kind: QuotaKind,
  read: () => Promise<Room>,
): Reservation {
  const name = `${kind} ${owner.accountId}`;
  /** Bytes reserved; at least `taken`. */
  let granted = 0;
  let taken = 0;

  /**
   * Reserved first and read then: bytes that another request has reserved are either still counted, or in what is read. When
   * they are stored they may be both for a moment.
   */
  const grant = async (bytes: number, spare: number): Promise<{ room: Room; others: boolean } | null> => {
    const all = await counts.take(name, bytes, Number.MAX_SAFE_INTEGER);
    const room = await read().catch((error: unknown) => {
      if (all !== null) counts.give(name, bytes);
      throw error;
    });
    if (all !== null && room.used + all + spare <= room.limit) {
      granted += bytes;
      return null;
    }
    if (all !== null) counts.give(name, bytes);
    return { room, others: all !== null && all > granted + bytes };
  };
  const grow = async (missing: number) => {
    if (missing < STEP && (await grant(STEP, MUCH_ROOM)) === null) return;
    for (let tries = 1; ; tries++) {
      const refused = await grant(missing, 0);
      if (refused === null) return;
      if (!refused.others || tries === TRIES) throw exceeded(owner, kind, refused.room);
      await pause(systemClock, Math.random() * PAUSE_MS);
    }
  };
  const end = (bytes: number) => {
    taken -= bytes;
    granted -= bytes;
    if (bytes > 0) counts.give(name, bytes);
  };
  // Files of one request may arrive together.
  let last: Promise<void> = Promise.resolve();
  return {
    take(bytes) {
      const mine = last.then(async () => {
        const missing = taken + bytes - granted;
        // An empty file fits always.
        if (missing > 0) await grow(missing);
        taken += bytes;
      });
      // The caller gets the error; the next one begins all the same.
      last = mine.catch(() => undefined);
      return mine;
    },
    async store(bytes, write) {
      try {
        return await write();
      } finally {
        end(bytes);
      }
    },
    release() {
      end(taken);
      if (granted > 0) counts.give(name, granted);
      granted = 0;
    },
  };
}
