/** Something that a change of a Mac needs is not there and cannot be installed, so a retry cannot succeed. */
export class NotInstalledError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotInstalledError';
  }
}
