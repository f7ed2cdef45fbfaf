// Names of Macs: checked, held by Macs and unpaid orders, changed. For use inside a transaction.

import {
  firstFreeMacName,
  macNameKey,
  macNameProblem,
  macNameSentence,
  readMacName,
} from '../../../shared/mac-name.js';
import { fieldProblem } from '../../../shared/messages/field-problems.js';
import type { ApiError } from '../../platform/domain/error-catalog.js';
import { fieldError } from '../../platform/domain/field-error.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import type { Wake } from '../../platform/wake.js';
import type { Mac } from '../domain/mac.js';
import * as rows from '../store/mac-names.js';
import { setName } from '../store/macs.js';

export { releaseNames } from '../store/mac-names.js';
export { readNames as namesOfMacs } from '../store/macs.js';

/**
 * Returns the name as it is stored. Throws invalid_name.
 *
 * @param field of the request, for the error
 */
export function checkedMacName(text: string, field: string): string {
  const read = readMacName(text);
  if ('name' in read) return read.name;
  throw fieldError('invalid_name', field, macNameProblem(read.problem), {
    message: `${field} ${macNameSentence(read.problem, text)}`,
  });
}

/** Returns the names of an order as they are stored. Throws `code`, invalid_name. */
export function checkedMacNames(
  names: readonly string[],
  units: number,
  code: 'invalid_order' | 'invalid_quote',
): string[] {
  if (names.length > 0 && names.length !== units) {
    throw fieldError(code, 'names', fieldProblem('wrong_count', { wanted: units, got: names.length }), {
      message: `names must be as many as units (got ${names.length} for ${units}).`,
    });
  }
  const checked = names.map((name, index) => checkedMacName(name, `names.${index}`));
  const keys = checked.map(macNameKey);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (twice < 0) return checked;
  const value = checked[twice] ?? '';
  throw fieldError(code, `names.${twice}`, fieldProblem('duplicate', { value }), {
    message: `names.${twice} is the name of another Mac of the order (${value}).`,
  });
}

const taken = (name: string, field: string) =>
  fieldError('name_taken', field, fieldProblem('taken', { value: name }), {
    message: `Another Mac or an unpaid order of this account has the name ${name}.`,
    detail: { name },
  });

/** Returns name_taken if one of the names of an order is in use, or null. */
export async function takenName(q: Queries, accountId: number, names: readonly string[]): Promise<ApiError | null> {
  if (names.length === 0) return null;
  const held = await rows.readHeldNames(q, accountId);
  const index = names.findIndex((name) => held.has(macNameKey(name)));
  return index < 0 ? null : taken(names[index] ?? '', `names.${index}`);
}

/** Holds free names for an unpaid order. */
export async function holdNames(
  tx: Transaction,
  { accountId, orderNo }: { readonly accountId: number; readonly orderNo: string },
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const held = await rows.holdName(tx, { accountId, nameKey: macNameKey(name), holder: orderNo });
    if (!held) throw new Error(`the name ${name} was free and is in use`);
  }
}

/**
 * Gives a new Mac its name: the one that was asked for, or else the first free one of Mac 1, Mac 2, ... It is never refused,
 * because the Mac may have been paid for.
 */
export async function nameNewMac(
  tx: Transaction,
  { accountId, rentalId }: Pick<Mac, 'accountId' | 'rentalId'>,
  wanted: string | null,
): Promise<string> {
  const hold = (name: string) => rows.holdName(tx, { accountId, nameKey: macNameKey(name), holder: rentalId });
  if (wanted !== null && (await hold(wanted))) return wanted;
  const held = await rows.readHeldNames(tx, accountId);
  const name = firstFreeMacName((key) => held.has(key));
  if (!(await hold(name))) throw new Error(`the name ${name} was free and is in use`);
  return name;
}

/** Renames a Mac. Returns false if it is called that already. Throws name_taken. */
export async function renameMac(
  tx: Transaction,
  deps: { readonly wake: Pick<Wake, 'wake'> },
  { accountId, rentalId, name: before }: Pick<Mac, 'accountId' | 'rentalId' | 'name'>,
  name: string,
): Promise<boolean> {
  if (name === before) return false;
  const nameKey = macNameKey(name);
  if (nameKey !== macNameKey(before)) {
    const held = await rows.readHeldNames(tx, accountId);
    if (held.has(nameKey)) throw taken(name, 'name');
    await rows.releaseNames(tx, rentalId);
    await rows.holdName(tx, { accountId, nameKey, holder: rentalId });
  }
  await setName(tx, rentalId, name);
  tx.onCommit(() => deps.wake.wake('macs', String(accountId)));
  return true;
}
