import type { AgentMac } from '../../../../client/types.js';

/** The label `name` that people give, or the id. */
export const macName = ({ labels, rental_id }: Pick<AgentMac, 'labels' | 'rental_id'>): string =>
  labels.name ?? rental_id;
