import type { Command } from 'commander';
import { passesSoon } from '../http/retry.js';
import { type RentingClient, rentingClient } from '../renting-client.js';
import { type Session, withSession } from './session.js';

/** A session of the commands that rent Macs and change them. */
export interface RentingSession extends Session {
  renting: RentingClient;
}

/** Runs the work of a command in a session that is closed whatever happens. */
export function withRenting(command: Command, work: (session: RentingSession) => Promise<void>): Promise<void> {
  return withSession(command, (session) => {
    const retry = { ...session.wire.retry, repeats: passesSoon };
    return work({ ...session, renting: rentingClient({ ...session.wire, retry }) });
  });
}
