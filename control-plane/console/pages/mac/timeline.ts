// The states of a Mac for its timeline: builds in a row are one entry, so that the other changes stay in sight.
import type { MacStateEntry } from '../../../../client/types.js';

export type TimelineRow =
  | { readonly kind: 'state'; readonly entry: MacStateEntry; readonly lastedMs: number }
  | {
      readonly kind: 'builds';
      readonly builds: number;
      /** When the first of them started (ISO). */
      readonly from: string;
      readonly lastedMs: number;
      /** How much of it the Mac was building. */
      readonly buildingMs: number;
    };

type StateRow = Extract<TimelineRow, { kind: 'state' }>;

/** Fewer builds in a row are shown one by one. */
const LEAST_BUILDS = 3;

/**
 * Returns the rows, newest first. The present state is always a row.
 *
 * @param entries newest first
 * @param now ms since the epoch
 */
export function timelineRows(
  entries: readonly MacStateEntry[],
  now: number,
  { each = false }: { each?: boolean } = {},
): TimelineRow[] {
  const all = entries.map((entry, index): StateRow => {
    const until = index === 0 ? now : Date.parse(entries[index - 1]?.at ?? entry.at);
    return { kind: 'state', entry, lastedMs: until - Date.parse(entry.at) };
  });
  if (each) return all;
  const rows: TimelineRow[] = all.slice(0, 1);
  let run: StateRow[] = [];
  const flush = () => {
    rows.push(...summed(run));
    run = [];
  };
  for (const row of all.slice(1)) {
    if (isOfBuild(row)) run.push(row);
    else {
      flush();
      rows.push(row);
    }
  }
  flush();
  return rows;
}

const isOfBuild = ({ entry: { cause } }: StateRow) => cause === 'build_started' || cause === 'build_ended';

function summed(run: readonly StateRow[]): readonly TimelineRow[] {
  const building = run.filter(({ entry }) => entry.state === 'building');
  // The run begins with a build: what is older belongs to a build on the next page.
  const first = building.at(-1);
  if (!first || building.length < LEAST_BUILDS) return run;
  const sum = (rows: readonly StateRow[]) => rows.reduce((total, { lastedMs }) => total + lastedMs, 0);
  const end = run.indexOf(first) + 1;
  return [
    {
      kind: 'builds',
      builds: building.length,
      from: first.entry.at,
      lastedMs: sum(run.slice(0, end)),
      buildingMs: sum(building),
    },
    ...run.slice(end),
  ];
}
