// The health of a host: what its doctor found. See host-agent/doctor.
import { z } from 'zod';
import { code, displayText, messageBeside, sound, time } from './kinds.js';

export const healthFinding = z.object({
  /** The name of the check, e.g. `filevault`; null: a name that no doctor gives. */
  check: code(),
  /** warning: builds run, but something should be changed. failed: the host cannot do its work, or will soon fail. */
  status: z.enum(['ok', 'warning', 'failed']),
  found: displayText(300),
  /** `found` and `fix` as messages; missing from older hosts. */
  found_message: messageBeside(300),
  fix_message: messageBeside(600),
  /** What to do about it, often a command; null when nothing is wrong. */
  fix: displayText(600).nullable(),
});
export type HealthFinding = z.infer<typeof healthFinding>;

/** A correct host has fewer checks. */
export const MOST_FINDINGS = 60;

export const hostHealth = z.object({
  /** When the checks were run, by the host's clock, ms. */
  checked_at: time(),
  /** Checks that do not apply to the host are left out. */
  findings: sound(healthFinding, MOST_FINDINGS),
});
export type HostHealth = z.infer<typeof hostHealth>;
