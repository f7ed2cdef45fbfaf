// Rate limits of several processes: the bucket of a name is shared, and a process takes the requests of about a second from it
// at a time, so that few requests wait for it. All processes together never admit more than the bucket has.
import type { Clock } from '../../../shared/clock.js';
import type { SharedBuckets } from '../domain/shared-state.js';
import { type Bucket, type Taken, take } from '../domain/token-bucket.js';
import type { RateLimiter, RateLimiterOptions } from './rate-limit.js';

/** A stock that is older goes back before another is taken, so that a bucket is not full beside it. */
const STOCK_MS = 10_000;

/** What this process knows of a bucket. */
interface Stock {
  /** Requests that were taken from the bucket and not admitted yet. */
  here: number;
  /** What was left in the bucket, and when. */
  left: Bucket;
  perMinute: number;
  takenAt: number;
  /** Requests that wait for more. */
  waiting: number;
  refill: Promise<void> | null;
}

export interface SharedRateLimiterDeps extends RateLimiterOptions {
  readonly clock: Clock;
  readonly mostNames: number;
  readonly shared: SharedBuckets;
}

export function createSharedRateLimiter(deps: SharedRateLimiterDeps): RateLimiter {
  const { clock, shared, kind, mostNames, exact = false } = deps;
  const stocks = new Map<string, Stock>();

  const stockOf = (name: string, perMinute: number): Stock => {
    const known = stocks.get(name);
    if (known) return known;
    // What the oldest have left here fills up again in the bucket.
    for (const [oldest, { waiting }] of stocks) {
      if (stocks.size < mostNames) break;
      if (waiting === 0) stocks.delete(oldest);
    }
    const long = Number.NEGATIVE_INFINITY;
    const stock = { here: 0, left: { tokens: 0, at: 0 }, perMinute, takenAt: long, waiting: 0, refill: null };
    stocks.set(name, stock);
    return stock;
  };

  /** Takes from the bucket what is wanted and, unless each request counts at once, that of the next second. */
  const refill = async (name: string, stock: Stock, wanted: number) => {
    const back = stock.here;
    stock.here = 0;
    const more = exact ? wanted : Math.max(wanted, Math.ceil(stock.perMinute / 60));
    const { given, left } = await shared.take(`${kind} ${name}`, stock.perMinute, wanted === 0 ? 0 : more, back);
    const now = clock.monotonic();
    stock.here += given;
    stock.left = { tokens: left, at: now };
    stock.takenAt = now;
  };
  /** One at a time for each name. */
  const refilled = (name: string, stock: Stock, wanted: number): Promise<void> => {
    stock.refill ??= refill(name, stock, wanted).finally(() => (stock.refill = null));
    return stock.refill;
  };
  const read = ({ here, left, perMinute }: Stock, ok = true): Taken => {
    const now = clock.monotonic();
    const { tokens } = left;
    const sum = {
      tokens: Math.min(perMinute, tokens + here + Math.max(0, now - left.at) * (perMinute / 60_000)),
      at: now,
    };
    return { ...take(sum, perMinute, now, 0), ok };
  };

  return {
    async take(name, cost = 1, perMinute = deps.perMinute) {
      const stock = stockOf(name, perMinute);
      const isOld = () => clock.monotonic() - stock.takenAt > STOCK_MS || stock.perMinute !== perMinute;
      if (cost === -1) {
        stock.here++;
        if (exact) await refilled(name, stock, 0);
        return read(stock);
      }
      if (cost === 0) {
        if (exact || isOld()) {
          stock.perMinute = perMinute;
          await refilled(name, stock, 0);
        }
        return read(stock);
      }
      stock.waiting++;
      try {
        for (;;) {
          if (stock.refill) await stock.refill;
          else if (stock.here >= 1 && !isOld()) {
            stock.here--;
            return read(stock);
          } else {
            // Only a process that gives requests back fills a bucket sooner than this one expects.
            if (!exact && !isOld() && read(stock).remaining < 1) return read(stock, false);
            stock.perMinute = perMinute;
            await refilled(name, stock, stock.waiting);
            if (stock.here < 1 && read(stock).remaining < 1) return read(stock, false);
          }
        }
      } finally {
        stock.waiting--;
      }
    },
  };
}
