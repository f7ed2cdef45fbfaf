// How many of something there are in each process, told to the others about once a second: rows as those of counts.
import type pg from 'pg';
import type { SharedSightings } from '../../../domain/shared-state.js';

type Ask = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/** Names are told apart from those that are counted to the last one. */
const PREFIX = 'about ';

export function createSharedSightings(process: number, ask: Ask) {
  const here = new Map<string, number>();
  const changed = new Set<string>();
  let others = new Map<string, number>();
  const sightings: SharedSightings = {
    set(name, count) {
      if (count > 0) here.set(name, count);
      else here.delete(name);
      changed.add(name);
    },
    elsewhere: (name) => others.get(name) ?? 0,
  };
  return {
    sightings,
    /** Tells what has changed (@param all: everything), and asks about the names that are here. */
    async exchange(all: boolean): Promise<void> {
      if (all) for (const name of here.keys()) changed.add(name);
      const told = [...changed];
      changed.clear();
      const names = [...here.keys()];
      if (told.length === 0 && names.length === 0) {
        others = new Map();
        return;
      }
      try {
        const counts = told.map((name) => here.get(name) ?? 0);
        const { rows } = await ask(EXCHANGE, [process, told.map(prefixed), counts, names.map(prefixed)]);
        others = new Map(rows.map(({ name, total }) => [name.slice(PREFIX.length), Number(total)]));
      } catch (error) {
        for (const name of told) changed.add(name);
        throw error;
      }
    },
  };
}

const prefixed = (name: string) => PREFIX + name;

/** Rows of the dead are deleted elsewhere. */
const EXCHANGE = `
  WITH told AS (SELECT name, amount FROM unnest($2::text[], $3::bigint[]) AS told (name, amount)),
    gone AS (
      DELETE FROM shared_counts WHERE process = $1 AND name IN (SELECT name FROM told WHERE amount = 0)
    ),
    here AS (
      INSERT INTO shared_counts (name, process, amount) SELECT name, $1::integer, amount FROM told WHERE amount > 0
      ON CONFLICT (name, process) DO UPDATE SET amount = EXCLUDED.amount
    )
  SELECT name, SUM(amount)::bigint AS total FROM shared_counts
  WHERE process <> $1::integer AND name = ANY ($4::text[]) GROUP BY name`;
