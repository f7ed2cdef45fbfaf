// The files that a page of the console needs beyond the first load, as the build has written them (console/vite.config.ts).
import type { Address } from '../../console/addresses.js';

export interface Files {
  /** Paths below `/console/`. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export interface PageFiles {
  /** By address. */
  readonly pages: Readonly<Record<string, Files>>;
  readonly layouts: Readonly<Record<'organization' | 'operator' | 'person' | 'payment', Files>>;
}

export const parsePageFiles = (json: string): PageFiles => JSON.parse(json) as PageFiles;

/** Pages that need no session. */
const OPEN = /^\/(?:sign-in|first-owner|invite|shared)(?:\/|$)/;

/** The page that somebody without a session gets. */
export const openAddress = (address: Address): Address => (OPEN.test(address) ? address : '/sign-in');

/** @param address undefined: an address that the console does not have */
export function filesOfPage({ pages, layouts }: PageFiles, address: Address | undefined): Files {
  const all = [address === undefined ? undefined : pages[address], address && layoutOf(address, layouts)];
  const unique = (name: keyof Files) => [...new Set(all.flatMap((each) => each?.[name] ?? []))];
  return { scripts: unique('scripts'), styles: unique('styles') };
}

function layoutOf(address: Address, layouts: PageFiles['layouts']): Files | undefined {
  if (OPEN.test(address)) return undefined;
  if (address.startsWith('/o/')) return layouts.organization;
  if (address.startsWith('/operator')) return layouts.operator;
  return address.startsWith('/pay/') ? layouts.payment : layouts.person;
}
