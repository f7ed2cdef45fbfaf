// Macs by name or id, for the command line and the tools of agents. The API takes ids alone.
import { macNameKey } from '../shared/mac-name.js';
import type { RentalsApi } from './api/rentals.js';
import { CidermillError } from './cidermill-error.js';

const PAGE = 100;
const MOST_LISTED = 10;

/**
 * Returns the rental ids of Macs that are given by name or id. Ids are not looked up; a name has to be that of a Mac that has
 * not ended, whatever its case.
 *
 * @throws CidermillError rental_not_found, with the names that there are
 * @example await rentalIdsOf(client.rentals, ['Release', 'rt_1']) // ['rt_7k2m9x0c4v8d3f6g', 'rt_1']
 */
export async function rentalIdsOf(
  rentals: Pick<RentalsApi, 'list'>,
  macs: readonly string[],
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<string[]> {
  if (macs.every(isRentalId)) return [...macs];
  const named = await readNames(rentals, signal);
  return macs.map((mac) => {
    const found = isRentalId(mac) ? mac : named.get(macNameKey(mac))?.rental_id;
    if (found === undefined) throw notFound(mac, named);
    return found;
  });
}

/** Returns the rental id of one Mac; see {@link rentalIdsOf}. */
export async function rentalIdOf(
  rentals: Pick<RentalsApi, 'list'>,
  mac: string,
  options?: { readonly signal?: AbortSignal },
): Promise<string> {
  const [rentalId = mac] = await rentalIdsOf(rentals, [mac], options);
  return rentalId;
}

/** No name begins like this. */
const isRentalId = (mac: string) => /^rt_/i.test(mac);

type Named = ReadonlyMap<string, { readonly rental_id: string; readonly name: string }>;

async function readNames(rentals: Pick<RentalsApi, 'list'>, signal: AbortSignal | undefined): Promise<Named> {
  const named = new Map<string, { rental_id: string; name: string }>();
  const options = signal ? { signal } : {};
  let page = await rentals.list({ limit: PAGE, ...options });
  for (;;) {
    for (const mac of page.rentals) if (mac.name) named.set(macNameKey(mac.name), mac);
    if (page.next_cursor === null || page.next_cursor === undefined) return named;
    page = await rentals.list({ limit: PAGE, cursor: page.next_cursor, ...options });
  }
}

function notFound(mac: string, named: Named): CidermillError {
  const names = [...named.values()].map(({ name }) => name);
  const more = names.length > MOST_LISTED ? `, and ${names.length - MOST_LISTED} more` : '';
  const there = names.length === 0 ? 'no Mac is rented' : `there are: ${names.slice(0, MOST_LISTED).join(', ')}${more}`;
  return new CidermillError({
    code: 'rental_not_found',
    message: `No Mac is called ${JSON.stringify(mac)}; ${there}.`,
    status: 404,
    retryable: false,
    fault: 'client',
  });
}
