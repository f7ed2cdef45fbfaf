import type { RawSearch } from '../../data/search.js';

export const tabs = ['topups', 'ledger', 'orders'] as const;

export const parseBillingSearch = ({ tab }: RawSearch) => ({
  tab: tabs.find((each) => each === tab) ?? 'topups',
});
