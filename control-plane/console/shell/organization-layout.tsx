// Pages below `/o/:org`.
import { useEffect } from 'react';
import { followChanges } from '../../../client/operations/console.js';
import { call } from '../data/api.js';
import { useOrganization } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { organizationNavigation } from '../navigation.js';
import { rememberOrganization } from './home.js';
import { Shell } from './shell.js';
import { OrganizationSwitcher, WorkspaceSwitcher } from './switchers.js';

export default function OrganizationLayout() {
  const { id, name, slug, role, unread_notices: unread } = useOrganization();
  useLive(call(followChanges, id).address, id);
  useEffect(() => rememberOrganization(slug), [slug]);
  const groups = organizationNavigation
    .map((group) => ({
      ...group,
      items: group.items
        .filter(({ roles }) => roles?.includes(role) ?? true)
        .map((item) => (item.to === '/o/$org/notices' ? { ...item, unread } : item)),
    }))
    .filter(({ items }) => items.length > 0);
  const switchers = (
    <>
      <OrganizationSwitcher current={slug} text={name} />
      <WorkspaceSwitcher />
    </>
  );
  return <Shell scope={name} groups={groups} switchers={switchers} />;
}
