/** The command line cannot be carried out as it is given; the message tells the person why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
