// Names of folders in `macs/`.

/** As the service names slots. Folders with other names are never used nor deleted; of the others, see `slot-marks.ts`. */
export const SLOT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;

/** Prefix of a slot's folder while it is being removed. */
export const REMOVED = '.removed-';
