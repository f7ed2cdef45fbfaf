// Pages about the person: settings, and the page for people without an organization.
import { useSession } from '../data/session.js';
import { useWords } from '../words/use-words.js';
import { Shell } from './shell.js';
import { OrganizationSwitcher } from './switchers.js';
import { words } from './words.js';

export default function PersonLayout() {
  const w = useWords(words);
  const { user, organizations } = useSession();
  const hasPlaces = organizations.length > 0 || user.operator;
  return (
    <Shell
      scope={user.email}
      groups={[]}
      switchers={hasPlaces ? <OrganizationSwitcher current="" text={w.organization} /> : null}
    />
  );
}
