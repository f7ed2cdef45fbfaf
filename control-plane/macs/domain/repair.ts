// Decides the repair of a Mac on which a build could not be prepared (docs/adr/0027-a-work-folder-for-each-source.md).

/** Its folders, then the whole Mac. */
const REPAIRS_OF_ONE_HOST = 2;

/** Returns the next repair after this many consecutive failed repairs. */
export function nextRepair(mac: { generation: number; revision: number; repairs: number }) {
  return {
    // First the folders; if that did not help, recreate the Mac.
    generation: mac.repairs === 0 ? mac.generation : mac.generation + 1,
    revision: mac.revision + 1,
    repairing: true,
    repairs: mac.repairs + 1,
    // If a recreated Mac fails again, its host is at fault: move the Mac to another host if there is one.
    prepareFailed: mac.repairs >= REPAIRS_OF_ONE_HOST,
  };
}
