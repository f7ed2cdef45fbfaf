// Pages below `/o/:org`.
import { useEffect } from 'react';
import { RUNNER_ROOT } from '../data/api.js';
import { orgPath } from '../data/query-text.js';
import { useOrganization } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { organizationNavigation } from '../navigation.js';
import { rememberOrganization } from './home.js';
import { Shell } from './shell.js';
import { OrganizationSwitcher, WorkspaceSwitcher } from './switchers.js';

export function OrganizationLayout() {
  const { id, name, slug, role } = useOrganization();
  const live = useLive(RUNNER_ROOT + orgPath({ id }, '/live'), id);
  useEffect(() => rememberOrganization(slug), [slug]);
  const groups = organizationNavigation
    .map((group) => ({ ...group, items: group.items.filter(({ roles }) => roles?.includes(role) ?? true) }))
    .filter(({ items }) => items.length > 0);
  const switchers = (
    <>
      <OrganizationSwitcher current={slug} text={name} />
      <WorkspaceSwitcher />
    </>
  );
  return <Shell scope={name} groups={groups} switchers={switchers} live={live} />;
}
