// Upgrades of the host agent: the package that a host should run, and how far it has come.
import { z } from 'zod';
import { displayText, id, messageBeside, version } from './kinds.js';

/** The package of the host agent that the host should install and run. */
export const desiredAgent = z.object({
  /** Identifies this request: a host tries each request once, even if it failed. */
  attempt: z.string().regex(/^[A-Za-z0-9_-]{1,100}$/),
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/),
  /** The file below `{site_url}/packages/`. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,199}$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(1),
});
export type DesiredAgent = z.infer<typeof desiredAgent>;

export const hostUpgrade = z.object({
  /** Whether this agent can install another version: it runs from an installed package that it may replace. */
  able: z.boolean(),
  /** What packages for this host are made for, e.g. `darwin-arm64`. */
  platform: version(),
  /** The request that this is about; null: none, or an operator's on the host itself. */
  attempt: id().nullable(),
  /** The version that is, or was, to be installed; null: none. */
  version: version().nullable(),
  /**
   * idle: nothing is wanted, or `version` has been installed and works. trying: it runs, and is replaced by the version
   * before it unless it proves to work. rolled_back: it did not. failed: it was not installed.
   */
  state: z.enum(['idle', 'downloading', 'installing', 'restarting', 'trying', 'failed', 'rolled_back']),
  /** Why the upgrade failed, or why this host cannot upgrade. */
  error: displayText(600).nullable(),
  /** The same as a message; missing from older hosts. */
  error_message: messageBeside(600),
});
export type HostUpgrade = z.infer<typeof hostUpgrade>;
