// Occupations of slots, and the hosts of the slots.

/** Times in ms; may be infinite. */
export interface Window {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** A physical host with its slots. */
export interface CalendarHost {
  readonly hostId: string;
  /** Null: not offered yet. */
  readonly tier: string | null;
  /** Whether new Macs may be created on it. */
  readonly inService: boolean;
  readonly connected: boolean;
  /** It has reported that it cannot create Macs now. */
  readonly blocked: boolean;
  /** It can create a Mac of its tier without fetching an image first. */
  readonly holdsImage: boolean;
  /** Versions that its Macs can have; null: unknown, so any of the tier. */
  readonly xcodes: readonly string[] | null;
  /** Whether it may serve several accounts at a time. */
  readonly shared: boolean;
  /** In the order of their positions. */
  readonly slotIds: readonly string[];
}

/** A period in which a slot is occupied. */
export interface Occupation extends Window {
  /** Id of the rental, or `hold:<number>`. */
  readonly id: string;
  readonly accountId: number;
  readonly slotId: string;
  /** Has not begun, so it may move to another slot or a later time. */
  readonly movable: boolean;
  /** Of an extension's hold: the rental that it extends. */
  readonly extends: string | null;
  /** The version that its Mac is to have if it has not begun; null: any. */
  readonly xcode: string | null;
}

/** Returns whether the host can create a Mac now, if it is in service. */
export function isUp({ connected, blocked }: Pick<CalendarHost, 'connected' | 'blocked'>): boolean {
  return connected && !blocked;
}

/** Returns whether Macs on the host can have this Xcode. @param xcode null: any */
export function gives({ xcodes }: Pick<CalendarHost, 'xcodes'>, xcode: string | null): boolean {
  return xcode === null || xcodes === null || xcodes.includes(xcode);
}

/** Returns whether an unpaid order of new Macs holds the slot. */
export function isUnpaid(occupation: Occupation): boolean {
  return occupation.id.startsWith('hold:') && occupation.extends === null;
}
