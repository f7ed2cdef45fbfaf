// Today's exchange rate: the operator's, or the published one, or the last one that was fetched.
import type { Core } from '../../platform/app/core.js';
import { ApiError } from '../../platform/domain/error-catalog.js';
import { type ExchangeRate, isWithin, koreanDay } from '../domain/exchange-rate.js';
import { type PublishedRates, RateUncertain } from '../providers/eximbank.js';
import { putExchangeRate, readLastRate } from '../store/exchange-rates.js';

export interface ExchangeRatesDeps extends Pick<Core, 'store' | 'clock' | 'limits' | 'log'> {
  /** Set by the operator; null: none. */
  readonly fixedRate: string | null;
  /** Null: not configured. */
  readonly published: PublishedRates | null;
}

export type ExchangeRates = ReturnType<typeof createExchangeRates>;

export function createExchangeRates(deps: ExchangeRatesDeps) {
  const { store, clock, limits, log, fixedRate, published } = deps;
  /** Monotonic. */
  let failedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const dueAt = async () => {
    const fetchedAt = (await readLastRate(store))?.fetchedAt ?? Number.NEGATIVE_INFINITY;
    return Math.max(fetchedAt + limits.fx_refresh_ms, clock.now() + failedAt + limits.fx_retry_ms - clock.monotonic());
  };

  /** The latest day with a rate: none is published on holidays, nor before about 11:00. */
  const fetchLatest = async (rates: PublishedRates) => {
    for (let daysAgo = 0; daysAgo <= limits.fx_days_back; daysAgo++) {
      const fxDay = koreanDay(clock.now(), daysAgo);
      const krwPerUsd = await rates.on(fxDay);
      if (krwPerUsd === null) continue;
      const last = await readLastRate(store);
      if (last && !isWithin(limits.fx_band_percent, krwPerUsd, last.krwPerUsd)) {
        throw new RateUncertain(
          `${krwPerUsd} won differs by more than ${limits.fx_band_percent} % from ${last.krwPerUsd} of ${last.fxDay}; ` +
            'if it is right, raise CIDERMILL_FX_BAND_PERCENT once or set CIDERMILL_FX_KRW_PER_USD',
        );
      }
      await putExchangeRate(store, { fxDay, source: rates.source, krwPerUsd, fetchedAt: clock.now() });
      return;
    }
    throw new RateUncertain(`no rate was published in ${limits.fx_days_back} days`);
  };

  /** One at a time, however many ask. */
  const fetchOnce = (rates: PublishedRates): Promise<void> => {
    fetching ??= fetchLatest(rates)
      .catch((error: unknown) => {
        failedAt = clock.monotonic();
        if (!(error instanceof RateUncertain)) throw error;
        log.warn({ err: error }, 'failed to fetch the exchange rate; the last one is used for a while');
      })
      .finally(() => {
        fetching = null;
      });
    return fetching;
  };

  const refresh = async () => {
    if (fixedRate !== null || !published) return null;
    if ((await dueAt()) <= clock.now()) await fetchOnce(published);
    return dueAt();
  };

  return {
    /** Fetches the published rate when it is due; returns when it is due again, or null when nothing is fetched. */
    refresh,
    /** Throws fx_unavailable. */
    async today(): Promise<ExchangeRate> {
      const now = clock.now();
      if (fixedRate !== null) {
        return { fxDay: koreanDay(now), source: 'fixed', krwPerUsd: fixedRate, fetchedAt: now };
      }
      await refresh();
      const last = await readLastRate(store);
      if (!last || now - last.fetchedAt > limits.fx_max_age_ms) throw new ApiError('fx_unavailable');
      return last;
    },
  };
}
