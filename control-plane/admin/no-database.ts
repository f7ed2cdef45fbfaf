/** The database or the key file is missing, or is not one of this program. */
export class NoDatabaseError extends Error {}
