// Locks of names by advisory locks of the session. What is asked for while a query is under way goes with the next one, so that
// any number of locks costs two round trips at a time.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { pause } from '../../../../../shared/pause.js';
import type { SharedLocks } from '../../../domain/shared-state.js';
import { clock } from '../availability.js';
import type { Session } from './session.js';

/** How long to wait before another try, at first and at most. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

interface Wanted {
  readonly key: string;
  readonly resolve: (taken: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A number of 64 bits, as text. */
const keyOf = (name: string): string => createHash('sha256').update(name).digest().readBigInt64BE().toString();

export function createSharedLocks(session: () => Session) {
  /** Held by this process, in whatever session. */
  const held = new Set<string>();
  /** In this process one waits for the other: a session has a lock as often as it takes it. */
  const last = new Map<string, Promise<void>>();
  let wanted: Wanted[] = [];
  let unwanted: string[] = [];
  let sending = false;

  const send = async () => {
    if (sending) return;
    sending = true;
    // With what else is asked for in this turn.
    await null;
    while (wanted.length > 0 || unwanted.length > 0) {
      const [take, free] = [wanted, unwanted];
      [wanted, unwanted] = [[], []];
      try {
        const { rows } = await session().query(LOCK, [free, take.map(({ key }) => key)]);
        const taken = new Set((rows as { key: string }[]).map(({ key }) => key));
        for (const one of take) one.resolve(taken.has(one.key));
      } catch (error) {
        // The locks to be freed ended with their session, or are freed when it is renewed.
        for (const one of take) one.reject(error);
      }
    }
    sending = false;
  };
  const tryLock = (key: string) =>
    new Promise<boolean>((resolve, reject) => {
      wanted.push({ key, resolve, reject });
      void send();
    });

  const locks: SharedLocks = {
    async acquire(name) {
      const key = keyOf(name);
      const before = last.get(key);
      let free = () => {};
      const mine = new Promise<void>((resolve) => (free = resolve));
      last.set(key, mine);
      const leave = () => {
        if (last.get(key) === mine) last.delete(key);
        free();
      };
      try {
        await before;
        for (let ms = FIRST_PAUSE_MS; !(await tryLock(key)); ms = Math.min(LONGEST_PAUSE_MS, ms * 2)) {
          await pause(clock, ms * (0.5 + Math.random() / 2));
        }
      } catch (error) {
        leave();
        throw error;
      }
      held.add(key);
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        held.delete(key);
        unwanted.push(key);
        leave();
        void send();
      };
    },
  };
  return {
    locks,
    /** Takes in a new session what this process had in the last one. What another has by now stays its own. */
    async renew(client: pg.Client): Promise<void> {
      if (held.size > 0) await client.query(LOCK, [[], [...held]]);
    },
  };
}

/** Frees the locks of the first list, then takes those of the second that are free; returns the latter. */
const LOCK = `
  WITH freed AS MATERIALIZED (SELECT COUNT(pg_advisory_unlock(key)) AS count FROM unnest($1::bigint[]) AS key)
  SELECT key::text FROM freed, LATERAL unnest($2::bigint[]) AS key
  WHERE CASE WHEN freed.count >= 0 THEN pg_try_advisory_lock(key) END`;
