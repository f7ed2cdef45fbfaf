// A pasted id leads to its page.
import Hash from 'lucide-react/icons/hash';
import { locatedQuery } from '../data/builds.js';
import { queryClient } from '../data/query-client.js';
import { useOrganizationHere, useSession } from '../data/session.js';
import { useGo } from '../design/link.js';
import type { NavigationGroup } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import type { Entry } from './entry.js';
import { idIn, type PastedId } from './ids.js';
import { words } from './words.js';

/** Returns the entry of the id that the text is, or null. */
export function usePasted(text: string, groups: readonly NavigationGroup[]): Entry | null {
  const w = useWords(words);
  const open = useOpen(groups);
  const pasted = idIn(text);
  const run = pasted && open(pasted);
  if (!run) return null;
  const { kind, id } = pasted;
  return { id, group: 'id', text: w.ids[kind](id), names: [id], icon: Hash, run };
}

/** Returns a function that returns how to open the page of an id; null where the person has no such page. */
function useOpen(groups: readonly NavigationGroup[]) {
  const go = useGo();
  const { operator } = useSession().user;
  const here = useOrganizationHere();
  const isOperators = groups.some(({ items }) => items.some(({ to }) => to === '/operator/orders'));
  return ({ kind, id }: PastedId): Entry['run'] | null => {
    switch (kind) {
      case 'host':
        return operator ? () => go({ to: '/operator/hosts/$host_id', params: { host_id: id } }) : null;
      case 'organization':
        return operator ? () => go({ to: '/operator/organizations/$org_id', params: { org_id: id } }) : null;
      case 'webhook':
        return here ? () => go({ to: '/o/$org/webhooks/$webhook_id', params: { webhook_id: id } }) : null;
      case 'order':
        if (isOperators) return () => go({ to: '/operator/orders/$order_no', params: { order_no: id } });
        return async () => {
          const org = await organizationOf(id);
          go({ to: '/o/$org/orders/$order_no', params: { org, order_no: id } });
        };
      case 'mac':
        return async () => {
          const org = await organizationOf(id);
          go({ to: '/o/$org/macs/$rental_id', params: { org, rental_id: id } });
        };
      case 'build':
        return async () => {
          const org = await organizationOf(id);
          go({ to: '/o/$org/builds/$build_id', params: { org, build_id: id } });
        };
    }
  };
}

/** Returns the slug: what is pasted may belong to another organization of the person. */
const organizationOf = async (id: string): Promise<string> =>
  (await queryClient.fetchQuery({ ...locatedQuery(id), retry: false })).slug;
