// Pages below `/operator`.
import { useSession } from '../data/session.js';
import { operatorNavigation } from '../navigation.js';
import { useWords } from '../words/use-words.js';
import { PageMissing } from './page-states.js';
import { Shell } from './shell.js';
import { OrganizationSwitcher } from './switchers.js';
import { words } from './words.js';

export default function OperatorLayout() {
  const w = useWords(words);
  const { user } = useSession();
  return (
    <Shell
      scope={w.operators}
      groups={user.operator ? operatorNavigation : []}
      switchers={<OrganizationSwitcher current={null} text={w.operators} />}
    >
      {user.operator ? undefined : <PageMissing />}
    </Shell>
  );
}
