// The names that an account uses: each is held by a Mac that has not been removed, or by an unpaid order. The primary key
// keeps two from holding the same.
import { int, text } from '../../platform/domain/fields.js';
import type { Queries, Transaction } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';

export const macNames = table('mac_names', {
  accountId: int(),
  /** `macNameKey` of the name. */
  nameKey: text(),
  /** A rental id or an order number. */
  holder: text(),
});

const insertFree = macNames.inserter({ onConflict: 'ON CONFLICT (account_id, name_key) DO NOTHING' });

export interface HeldName {
  readonly accountId: number;
  readonly nameKey: string;
  readonly holder: string;
}

/** Returns false if another holds the name. */
export function holdName(tx: Transaction, name: HeldName): Promise<boolean> {
  return insertFree(tx, name);
}

/** Returns the keys of the names in use by the account, with their holders. */
export async function readHeldNames(q: Queries, accountId: number): Promise<Map<string, string>> {
  const rows = await macNames.all(q, 'WHERE account_id = :accountId', { accountId });
  return new Map(rows.map(({ nameKey, holder }) => [nameKey, holder]));
}

export interface NamedMac {
  readonly rentalId: string;
  readonly orgName: string;
  readonly orgSlug: string;
}

const holders = macNames.pick('holder').and({ orgName: ['a.name', text()], orgSlug: ['a.slug', text()] });

/** Returns the Macs of all accounts whose name has this key and that have not been removed. */
export async function readMacsNamed(q: Queries, nameKey: string): Promise<NamedMac[]> {
  const rows = await holders.all(
    q,
    `JOIN macs m ON m.rental_id = mac_names.holder JOIN organizations a ON a.id = m.account_id
     WHERE mac_names.name_key = :nameKey ORDER BY m.created_at, m.rental_id`,
    { nameKey },
  );
  return rows.map(({ holder, ...organization }) => ({ rentalId: holder, ...organization }));
}

/** Deletes what a Mac or an order holds. */
export async function releaseNames(tx: Transaction, holder: string): Promise<void> {
  await tx.run('DELETE FROM mac_names WHERE holder = :holder', { holder });
}
