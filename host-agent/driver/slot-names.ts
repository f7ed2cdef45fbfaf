// Names of folders in `macs/`.

/**
 * The names that the service gives to slots. Folders with other names are neither used nor deleted; for the rest see
 * `slot-marks.ts`.
 */
export const SLOT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;

/** Prefix of a slot's folder while it is being removed. */
export const REMOVED = '.removed-';
