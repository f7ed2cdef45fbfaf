import type { DeliveryStatus } from '../../../../client/types.js';
import type { RawSearch } from '../../data/search.js';

export const statuses: readonly DeliveryStatus[] = ['pending', 'delivered', 'failed'];

/** The filter of the deliveries; null: all. */
export const parseSearch = ({ status }: RawSearch): { status: DeliveryStatus | null } => ({
  status: statuses.find((each) => each === status) ?? null,
});
