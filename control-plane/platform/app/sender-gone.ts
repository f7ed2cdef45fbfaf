/** The connection of a request has closed: its work ends at its next step, and nobody is answered. */
export class SenderGone extends Error {
  constructor() {
    super('the sender has disconnected');
    this.name = 'SenderGone';
  }
}
