// Exchange rates that were published: one a day and source.

import type { Queries } from '../../platform/store/sql.js';
import { table } from '../../platform/store/table.js';
import { type ExchangeRate, exchangeRateFields } from '../domain/exchange-rate.js';

export const exchangeRates = table('exchange_rates', exchangeRateFields);

/** A rate that is fetched again replaces the stored one. */
export const putExchangeRate = exchangeRates.inserter({
  onConflict: `ON CONFLICT (source, fx_day) DO UPDATE SET ${exchangeRates.excluded('krwPerUsd', 'fetchedAt')}`,
});

/** Returns the rate of the latest day. */
export function readLastRate(q: Queries): Promise<ExchangeRate | null> {
  return exchangeRates.get(q, 'ORDER BY fx_day DESC LIMIT 1');
}
