// Names of virtual machines: never used twice, because tools overwrite an existing one without asking, and
// recognizable, because the agent may only touch its own.
import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 5;

/** @example newVmName('cidermill-') // 'cidermill-3f09a1c2d4' */
export const newVmName = (prefix: string): string => prefix + randomBytes(RANDOM_BYTES).toString('hex');

/** Returns whether `newVmName` can have made this name with this prefix. */
export function isOwnName(prefix: string, name: string): boolean {
  return name.startsWith(prefix) && /^[0-9a-f]{10}$/.test(name.slice(prefix.length));
}
