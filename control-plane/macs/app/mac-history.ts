// The history of a Mac's states.
import { ApiError } from '../../platform/domain/error-catalog.js';
import type { Store } from '../../platform/store/sql.js';
import type { MacStateEntry } from '../domain/mac-state.js';
import { readStates } from '../store/mac-states.js';
import { findMacOf } from './macs.js';

export interface HistoryPage {
  readonly entries: readonly MacStateEntry[];
  /** `before` of the next, older page; null on the last one. */
  readonly nextBefore: number | null;
}

export type MacHistory = ReturnType<typeof createMacHistory>;

export function createMacHistory({ store }: { store: Store }) {
  return {
    /**
     * Returns states of the Mac, newest first, also after its rental ended. Throws rental_not_found.
     *
     * @param page before: the `nextBefore` of the page before, or null
     */
    async read(
      accountId: number,
      rentalId: string,
      { before, limit }: { readonly before: number | null; readonly limit: number },
    ): Promise<HistoryPage> {
      if (!(await findMacOf(store, accountId, rentalId))) throw new ApiError('rental_not_found');
      const found = await readStates(store, rentalId, { before, limit: limit + 1 });
      const entries = found.slice(0, limit);
      const last = found.length > limit ? entries.at(-1) : undefined;
      return { entries, nextBefore: last?.seq ?? null };
    },
  };
}
