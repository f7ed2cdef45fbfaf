// What a Mac on which a build could not be prepared is brought to (docs/adr/0027-a-work-folder-for-each-source.md).

/** Its folders, then the whole Mac. */
const REPAIRS_OF_ONE_HOST = 2;

/** What a Mac of which so many repairs in a row were of no use is brought to next. */
export function nextRepair(mac: { generation: number; revision: number; repairs: number }) {
  return {
    // Its folders first; when that was not enough, the whole Mac.
    generation: mac.repairs === 0 ? mac.generation : mac.generation + 1,
    revision: mac.revision + 1,
    repairing: true,
    repairs: mac.repairs + 1,
    // A Mac that was made anew and fails again has a host that fails: another host takes it over, if there is one.
    prepareFailed: mac.repairs >= REPAIRS_OF_ONE_HOST,
  };
}
