// What most parts of every capability receive; each picks what it needs.
import type { Clock } from '../../../shared/clock.js';
import type { Log } from '../../../shared/log.js';
import type { Limits } from '../domain/limits.js';
import type { Store } from '../store/sql.js';
import type { Wake } from '../wake.js';

/** @example interface OrdersDeps extends Pick<Core, 'store' | 'clock'> { readonly availability: Availability } */
export interface Core {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly wake: Pick<Wake, 'wake'>;
  readonly log: Log;
}
