/** The folder cannot be sent as it is; the message tells the person why. */
export class SelectionError extends Error {
  override readonly name = 'SelectionError';
}
