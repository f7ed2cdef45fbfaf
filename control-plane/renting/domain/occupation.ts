// A stretch of time in which a slot is somebody's, and the hosts on which slots are.

/** Times in ms; may be infinite. */
export interface Window {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A physical host with the slots it is sold by. */
export interface CalendarHost {
  readonly hostId: string;
  /** Null: not sold yet. */
  readonly tier: string | null;
  /** May new Macs be made on it? */
  readonly inService: boolean;
  readonly connected: boolean;
  /** May serve several accounts at a time. */
  readonly shared: boolean;
  /** In the order of their positions. */
  readonly slotIds: readonly string[];
}

/** A stretch of time in which a slot is somebody's. */
export interface Occupation extends Window {
  /** Id of the rental, or `hold:<number>`. */
  readonly id: string;
  readonly accountId: number;
  readonly slotId: string;
  /** Has not begun: it may be moved to another slot, or to a later time. */
  readonly movable: boolean;
  /** Of the hold of an extension: the rental whose time it lengthens. */
  readonly extends: string | null;
}
