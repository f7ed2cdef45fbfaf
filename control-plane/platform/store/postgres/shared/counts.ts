// What processes hold of a limited amount: a row for each name and process, with all that the process holds. It is written
// whole, so that what was lost with a connection or with the server is right again with the next change.
import type pg from 'pg';
import type { SharedCounts } from '../../../domain/shared-state.js';

type Ask = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

export function createSharedCounts(process: number, ask: Ask) {
  /** What this process holds. */
  const held = new Map<string, number>();
  /** The writes of one name follow one another. */
  const last = new Map<string, Promise<unknown>>();
  /** Names of which less is held than was written. */
  const changed = new Set<string>();

  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(name);
    const mine = before ? before.then(work, work) : work();
    last.set(name, mine);
    const forget = () => {
      if (last.get(name) === mine) last.delete(name);
    };
    mine.then(forget, forget);
    return mine;
  };
  const heldOf = (name: string) => held.get(name) ?? 0;
  const hold = (name: string, change: number) => {
    const amount = heldOf(name) + change;
    if (amount > 0) held.set(name, amount);
    else held.delete(name);
  };
  const write = async (name: string) => {
    // A change that came meanwhile has been written with another.
    if (!changed.delete(name)) return;
    const amount = heldOf(name);
    try {
      if (amount > 0) await ask('SELECT shared_hold($1, $2, $3)', [name, process, amount]);
      else await ask('DELETE FROM shared_counts WHERE name = $1 AND process = $2', [name, process]);
    } catch {
      // Written with the next change of the name, or when the connection is there again.
      changed.add(name);
    }
  };

  const counts: SharedCounts = {
    take: (name, amount, most) =>
      inTurn(name, async () => {
        // What was given back before is written with it.
        const wasChanged = changed.delete(name);
        const values = [name, process, heldOf(name), amount, most];
        try {
          const { rows } = await ask('SELECT shared_take($1, $2, $3, $4, $5) AS total', values);
          if (rows[0].total !== null) {
            hold(name, amount);
            return Number(rows[0].total);
          }
        } catch (error) {
          // It may have been carried out.
          changed.add(name);
          throw error;
        }
        if (wasChanged) {
          changed.add(name);
          await write(name);
        }
        return null;
      }),
    give(name, amount) {
      hold(name, -amount);
      changed.add(name);
      void inTurn(name, () => write(name));
    },
    async total(name) {
      const { rows } = await ask('SELECT shared_others($1, $2) AS total', [name, process]);
      return Number(rows[0]?.total ?? 0) + heldOf(name);
    },
  };
  return {
    counts,
    /** Writes what could not be written, and everything if the others may have thought this process dead. */
    async renew(all: boolean): Promise<void> {
      if (all) for (const name of held.keys()) changed.add(name);
      await Promise.all([...changed].map((name) => inTurn(name, () => write(name))));
    },
    /** Resolves when what was given back is written, or could not be. */
    async settled(): Promise<void> {
      await Promise.all([...last.values()].map((one) => one.catch(() => undefined)));
    },
  };
}
