// How a build reaches the virtual machine that is its Mac.
import type { GuestTransport } from '../guest/transport.js';

/**
 * The folder in a guest that holds everything of builds: `work/NAME` for each source, `run/BUILD.ATTEMPT` for each build.
 * Every image has its parent, which every user can write to, so a source has the same path on every Mac. Not below HOME:
 * tools search the parent folders for settings.
 */
export const GUEST_ROOT = '/Users/Shared/cidermill';

export interface GuestAccess {
  readonly transport: GuestTransport;
  /** The user as whom everything runs, and its home. */
  readonly user: string;
  readonly home: string;
  /** The name of the virtual machine. A recreated Mac has another one. */
  readonly vm: string;
  /** Returns false once the virtual machine has stopped or is gone. Throws when the tool does not answer. */
  running(): Promise<boolean>;
}

/** The virtual machine of a Mac has stopped or is gone. */
export class VmLostError extends Error {
  override name = 'VmLostError';
}
