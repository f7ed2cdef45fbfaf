// Names of virtual machines: never used twice, because tools overwrite an existing one without asking, and
// recognizable, because the agent may only touch its own: those that begin with its prefix.
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 5;

/** @example newVmName('cidermill-') // 'cidermill-3f09a1c2d4' */
export const newVmName = (prefix: string): string => prefix + randomBytes(RANDOM_BYTES).toString('hex');

/** The end of a name that `newVmName` has made with a longer prefix, e.g. `dev-3f09a1-3f09a1c2d4`. */
const OF_LONGER_PREFIX = /.-[0-9a-f]{10}$/;

/**
 * Returns whether a virtual machine of this name belongs to the agent with this prefix: its name begins with it, and not
 * with a longer one of another agent.
 *
 * @param others prefixes of other agents that share the tool's folder
 * @example isOwnName('cidermill-', 'cidermill-old') // true
 * @example isOwnName('cidermill-', 'cidermill-dev-3f09a1c2d4') // false: `cidermill-dev-` is another agent's
 */
export function isOwnName(prefix: string, name: string, others: readonly string[] = []): boolean {
  if (!name.startsWith(prefix) || name === prefix) return false;
  if (OF_LONGER_PREFIX.test(name.slice(prefix.length))) return false;
  return !others.some((other) => other.length > prefix.length && name.startsWith(other));
}
