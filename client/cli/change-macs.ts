import type { MacTarget } from '../api/maintenance.js';
import type { RentalsApi } from '../api/rentals.js';
import { rentalIdsOf } from '../find-macs.js';
import { UsageError } from './usage-error.js';

export interface ChangedMacs {
  /** Their names in a question, as they were given. */
  text: string;
  /** Finds them by name. `only`: the one Mac named on the command line, which has its own endpoint. */
  resolve(rentals: Pick<RentalsApi, 'list'>): Promise<{ macs: MacTarget; only: string | null }>;
}

/** @throws UsageError unless either Macs are named or all are meant */
export function macTarget(macs: readonly string[], all = false): ChangedMacs {
  if (all === macs.length > 0) throw new UsageError('name Macs, or give --all');
  if (all) return { text: 'every Mac', resolve: async () => ({ macs: { all: true }, only: null }) };
  return {
    text: macs.join(', '),
    async resolve(rentals) {
      const ids = await rentalIdsOf(rentals, macs);
      const [first = '', ...others] = ids;
      return { macs: { ids }, only: others.length === 0 ? first : null };
    },
  };
}
