/** The folder cannot be uploaded; the message says why. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
}
