// The Mac that an operator means by an id or a name. Names are unique only within an organization.
import { macNameKey } from '../../../shared/mac-name.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Queries } from '../../platform/store/sql.js';
import { readHeldNames, readMacsNamed } from '../store/mac-names.js';
import { findMac, macsOf } from './macs.js';

const MOST_LISTED = 10;

export interface WhichMac {
  /** A rental id, or a name in any case. */
  readonly mac: string;
  /** The account that has it; null: any. */
  readonly accountId: number | null;
}

/**
 * Returns the rental id of a Mac that has not been removed. No name is also an id.
 *
 * @param field of the request, for the error
 * @throws ApiError rental_not_found; invalid_request, which lists them, if Macs of several accounts have the name
 * @example await findNamedMac(tx, { mac: 'release', accountId: 7 }, 'rental_id') // 'rt_7k2m9x0c4v8d3f6g'
 */
export async function findNamedMac(q: Queries, { mac, accountId }: WhichMac, field: string): Promise<string> {
  const byId = await findMac(q, mac);
  if (byId) {
    if (accountId === null || byId.accountId === accountId) return byId.rentalId;
    throw notFound(mac, await namesOf(q, accountId));
  }
  const key = macNameKey(mac);
  const named = await readMacsNamed(q, key);
  const held = accountId === null ? null : (await readHeldNames(q, accountId)).get(key);
  const [found, ...others] = held === null ? named : named.filter(({ rentalId }) => rentalId === held);
  if (!found) throw notFound(mac, accountId === null ? null : await namesOf(q, accountId));
  if (others.length === 0) return found.rentalId;
  const macs = shortList(named.map(({ rentalId, orgName, orgSlug }) => `${rentalId} of ${orgName} (${orgSlug})`));
  throw fieldError('invalid_request', field, fieldProblem('several_macs', { value: mac, macs }), {
    message: `Several Macs are called ${JSON.stringify(mac)}: ${macs}. Use the id, or name the organization.`,
  });
}

const namesOf = async (q: Queries, accountId: number) => (await macsOf(q, accountId)).map(({ name }) => name);

/** @param names of the Macs of the organization; null: of none in particular */
function notFound(mac: string, names: readonly string[] | null): ApiError {
  const message = `No Mac ${names === null ? '' : 'of this organization '}has the id or name ${JSON.stringify(mac)}`;
  if (names === null) return new ApiError('rental_not_found', { message: `${message}.` });
  const there = names.length === 0 ? 'it has none' : `there are: ${shortList(names)}`;
  return new ApiError('rental_not_found', { message: `${message}; ${there}.` });
}

/** @example shortList(['a', 'b']) // 'a, b'; of more than ten the number of the others follows */
const shortList = (all: readonly string[]) =>
  [...all.slice(0, MOST_LISTED), ...(all.length > MOST_LISTED ? [`+${all.length - MOST_LISTED}`] : [])].join(', ');
