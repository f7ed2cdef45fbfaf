// What pages of the console show. The query keys of the console begin with these nouns.

/** Of an organization's pages. */
export type AccountNoun =
  | ('status' | 'builds' | 'build' | 'queue' | 'macs' | 'mac' | 'jobs' | 'orders' | 'order' | 'waitlist')
  | ('catalog' | 'secrets' | 'webhooks' | 'deliveries' | 'keys' | 'members' | 'invites' | 'workspaces')
  | ('topups' | 'ledger' | 'files' | 'errors' | 'notices' | 'audit' | 'usage');

/** Of the operators' pages. */
export type OperatorNoun =
  | ('hosts' | 'calendar' | 'tiers' | 'images' | 'enrollments' | 'organizations' | 'orders' | 'waitlist')
  | ('payments' | 'audit' | 'throughput');
