// What has to be read again after which change. The query keys of the console begin with these nouns.
import type { Topic } from '../../platform/wake.js';

/** Queries of an organization's pages. */
type AccountNoun =
  | ('status' | 'builds' | 'build' | 'queue' | 'macs' | 'mac' | 'jobs' | 'orders' | 'order' | 'waitlist')
  | ('catalog' | 'secrets' | 'webhooks' | 'deliveries' | 'keys' | 'members' | 'invites' | 'workspaces')
  | ('topups' | 'ledger' | 'files' | 'errors' | 'notices' | 'audit' | 'usage');

/** Queries of the operators' pages. */
type OperatorNoun =
  | ('hosts' | 'calendar' | 'tiers' | 'images' | 'enrollments' | 'organizations' | 'orders' | 'waitlist')
  | ('payments' | 'audit' | 'throughput');

/** Everything, e.g. after another process has written to the database. */
export const ALL = 'all';

type Table<Noun> = Readonly<Partial<Record<Topic, readonly Noun[]>>>;

/** Topics whose key is the account. */
export const accountTopics: Table<AccountNoun> = {
  builds: ['builds', 'build', 'queue', 'status', 'macs', 'mac', 'files', 'usage', 'errors'],
  macs: ['macs', 'mac', 'jobs', 'status', 'queue'],
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

/**
 * Audited actions, by the part of the name before the dot. What has a topic above needs no row for it.
 */
const actionNouns: Readonly<Record<string, readonly AccountNoun[]>> = {
  api_key: ['keys', 'workspaces'],
  build: [],
  credit: ['ledger', 'topups'],
  file: ['files', 'usage'],
  invite: ['invites', 'members', 'workspaces'],
  member: ['members', 'workspaces'],
  notice: ['notices'],
  order: ['topups', 'ledger'],
  payment: [],
  organization: ['status', 'usage', 'members', 'workspaces'],
  rental: ['macs', 'mac', 'jobs', 'queue', 'status'],
  secret: ['secrets'],
  session: [],
  top_up: ['topups', 'ledger'],
  upload: ['files', 'usage'],
  user: ['members'],
  waitlist: ['waitlist', 'catalog'],
  webhook: ['webhooks', 'deliveries'],
  workspace: ['workspaces', 'members'],
};

/** Returns the nouns of an audited action; an action without a row may have changed anything. */
export function nounsOfAction(action: string): readonly string[] {
  const subject = action.split('.', 1)[0] ?? '';
  const nouns = Object.hasOwn(actionNouns, subject) ? actionNouns[subject] : undefined;
  return nouns === undefined ? [ALL] : ['audit', ...nouns];
}

/** Nouns of one object: a change may name the objects. */
export const single: ReadonlySet<string> = new Set<AccountNoun>(['build', 'order']);
