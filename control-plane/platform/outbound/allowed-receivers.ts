// Receivers outside the public Internet that the operator allows.
import { compileRanges, normalizeCidr } from '../domain/cidr.js';

export interface AllowedReceivers {
  /** Returns whether the host name is allowed, with any address that it resolves to. */
  hasName(host: string): boolean;
  /** Returns whether the address is in an allowed range. */
  hasAddress(address: string): boolean;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * @param entries host names, addresses and ranges; throws an Error that names an invalid entry
 * @example parseAllowedReceivers(['hooks.corp.example', '10.20.0.0/16'])
 */
export function parseAllowedReceivers(entries: readonly string[]): AllowedReceivers {
  const names = new Set<string>();
  const ranges: string[] = [];
  for (const entry of entries) {
    const range = normalizeCidr(entry);
    const name = entry.toLowerCase();
    if (range !== null) ranges.push(range);
    // Only digits and dots: a misspelled address, not a host name.
    else if (NAME.test(name) && !/^[\d.]+$/.test(name)) names.add(name);
    else throw new Error(`"${entry}" is not a host name, an address or a range such as 10.0.0.0/8`);
  }
  const compiled = compileRanges(ranges);
  return { hasName: (host) => names.has(host), hasAddress: compiled.includes };
}

export const noAllowedReceivers = parseAllowedReceivers([]);
