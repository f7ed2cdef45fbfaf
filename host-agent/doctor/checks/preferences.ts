// Preferences of macOS, read with `defaults`.
import { type CheckedHost, UnreadableError } from '../check.js';

/**
 * Returns the value of a key as `defaults` prints it; null when it is not set.
 *
 * @throws UnreadableError when `defaults` fails for another reason
 */
export async function preference(
  { run }: Pick<CheckedHost, 'run'>,
  domain: string,
  key?: string,
): Promise<string | null> {
  const args = key === undefined ? ['read', domain] : ['read', domain, key];
  const { code, stdout, stderr } = await run('/usr/bin/defaults', args);
  if (code === 0) return stdout.trim();
  if (code === 1 && /does not exist/.test(stderr)) return null;
  throw new UnreadableError(`defaults read ${domain}`, stderr || stdout);
}

/**
 * Returns a number of a printed dictionary; null when it is not there.
 *
 * @example numberIn('{\n    DHCPLeaseTimeSecs = 600;\n}', 'DHCPLeaseTimeSecs') // 600
 */
export function numberIn(dictionary: string, key: string): number | null {
  const value = new RegExp(`^\\s*"?${key}"?\\s*=\\s*"?(\\d{1,9})"?;`, 'm').exec(dictionary)?.[1];
  return value === undefined ? null : Number(value);
}
