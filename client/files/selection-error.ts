/** The folder cannot be uploaded; the message has the reason. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
}
