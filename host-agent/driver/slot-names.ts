// Names of folders in `macs/`.

/** As the service names slots. Other folders are an operator's, or were made by a build: never used, never deleted. */
export const SLOT_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/;

/** Prefix of a slot's folder while it is being removed. */
export const REMOVED = '.removed-';
