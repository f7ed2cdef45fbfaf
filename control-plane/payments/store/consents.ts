// Who has agreed to what, before a payment.

import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { consentFields } from '../domain/consent.js';

export const consents = table('consents', consentFields);

/** Recording the same consent twice has no effect. */
export const insertConsent = consents.inserter({
  onConflict: 'ON CONFLICT (order_no, user_id, at) DO NOTHING',
});

export async function hasConsent(q: Queries, orderNo: string): Promise<boolean> {
  return (await q.get('SELECT 1 FROM consents WHERE order_no = :orderNo', { orderNo })) !== undefined;
}
