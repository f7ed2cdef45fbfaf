// What open pages have to read again after which change: a table by topic, and what each action says of itself.
import type { RouteAction } from '../../platform/domain/audit-entry.js';
import type { AccountNoun, OperatorNoun } from '../../platform/domain/live-noun.js';
import type { Topic } from '../../platform/wake.js';

/** Everything, e.g. after another process has written to the database. */
export const ALL = 'all';

type Table<Noun> = Readonly<Partial<Record<Topic, readonly Noun[]>>>;

/** Topics whose key is the account. */
export const accountTopics: Table<AccountNoun> = {
  builds: ['builds', 'build', 'queue', 'status', 'macs', 'mac', 'files', 'usage', 'errors'],
  // An order says when its rentals begin and end.
  macs: ['macs', 'mac', 'jobs', 'status', 'queue', 'orders', 'order'],
  orders: ['orders', 'order', 'macs', 'mac', 'status', 'topups', 'ledger'],
  webhooks: ['webhooks', 'deliveries'],
  notices: ['notices'],
};

/** Topics that concern every account. */
export const commonTopics: Table<AccountNoun> = { availability: ['catalog', 'waitlist'] };

/** Topics that concern operators, of any account or host. */
export const operatorTopics: Table<OperatorNoun> = {
  hosts: ['hosts', 'calendar', 'enrollments'],
  images: ['images', 'tiers'],
  builds: ['hosts', 'throughput'],
  macs: ['hosts', 'organizations'],
  orders: ['orders', 'payments', 'calendar', 'organizations'],
  availability: ['calendar', 'waitlist', 'tiers', 'organizations'],
};

/** Returns the nouns of an audited action by its name. */
export type NounsOfAction = (name: string) => readonly string[];

/** @returns the nouns of these actions; an action that is not among them may have changed anything */
export function nounsOfActions(actions: readonly RouteAction[]): NounsOfAction {
  const nouns = new Map<string, Set<string>>();
  for (const { name, concerns } of actions) nouns.set(name, new Set([...(nouns.get(name) ?? ['audit']), ...concerns]));
  return (name) => [...(nouns.get(name) ?? [ALL])];
}

/** Nouns of one object: a change may name the objects. */
export const single: ReadonlySet<string> = new Set<AccountNoun>(['build', 'order']);
