// What was copied from a data folder into an object store.

/** All contents of a kind, or all logs. */
export interface MovedKind {
  readonly kind: string;
  /** Contents or logs. */
  readonly count: number;
  /** Bytes in the object store. */
  readonly bytes: number;
  /** Of the list of all keys with the hashes of what they name, in the order of the database. */
  readonly sha256: string;
}

export interface MovedObjects {
  /** The object store, as `CIDERMILL_OBJECTS` names it. */
  readonly place: string;
  readonly kinds: readonly MovedKind[];
  /** Files that the database names and the folder does not have. */
  readonly lost: number;
}
